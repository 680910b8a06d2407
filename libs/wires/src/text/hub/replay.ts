import type { Choice, OpenedPart, TextAnswer, TextEvent } from "./answer.ts";
import type { Part } from "./part.ts";

/** A whole answer as the events of a stream: one delta a part. */
export function replay(answer: TextAnswer): readonly TextEvent[] {
  const { id, model, createdAt, usage } = answer;
  return [
    { type: "start", id, model, createdAt },
    ...answer.choices.flatMap(replayChoice),
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
  ];
}

function replayChoice({ parts, finish, stopSequence }: Choice, choice: number): readonly TextEvent[] {
  return [
    ...parts.flatMap((part, index) => replayPart(part, choice, index)),
    { type: "finish", choice, reason: finish, ...(stopSequence === undefined ? {} : { stopSequence }) },
  ];
}

/** The events of one part: opened, its text, closed; or whole where it has no text that could come in pieces. */
export function replayPart(whole: Part, choice: number, part: number): readonly TextEvent[] {
  const opened = openingOf(whole);
  if (opened === undefined) return [{ type: "part-whole", choice, part, whole }];
  const citations = whole.kind === "text" ? (whole.citations ?? []) : [];
  const seal = "seal" in whole ? whole.seal : undefined;
  return [
    { type: "part-start", choice, part, opened },
    ...deltaOf(whole, choice, part),
    ...citations.map((citation) => ({ type: "citation", choice, part, citation }) as const),
    { type: "part-end", choice, part, ...(seal === undefined ? {} : { seal }) },
  ];
}

function openingOf(part: Part): OpenedPart | undefined {
  if (part.kind === "text" || part.kind === "refusal") return { kind: part.kind };
  if (part.kind === "reasoning") return { kind: "reasoning", summary: part.summary, id: part.id };
  if (part.kind === "tool-call") return { kind: "tool-call", id: part.id, name: part.name, custom: part.custom };
  return undefined;
}

function deltaOf(part: Part, choice: number, index: number): readonly TextEvent[] {
  const text = part.kind === "tool-call" ? part.arguments : "text" in part ? part.text : "";
  const logProbabilities = part.kind === "text" ? part.logProbabilities : undefined;
  if (text === "" && logProbabilities === undefined) return [];
  return [
    { type: "part-delta", choice, part: index, text, ...(logProbabilities === undefined ? {} : { logProbabilities }) },
  ];
}
