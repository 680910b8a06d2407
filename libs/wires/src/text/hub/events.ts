import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import type { Choice, FinishReason, OpenedPart, StreamedPart, TextAnswer, TextEvent } from "./answer.ts";
import type { Part } from "./part.ts";

/** Converts a complete answer to the events of a stream. */
export function answerToEvents(answer: TextAnswer): readonly TextEvent[] {
  const { id, model, createdAt, usage } = answer;
  return [
    { type: "start", id, model, createdAt },
    ...answer.choices.flatMap(choiceToEvents),
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
  ];
}

function choiceToEvents({ parts, finish, stopSequence }: Choice, choice: number): readonly TextEvent[] {
  return [
    ...parts.flatMap((part, index) => partToEvents(part, choice, index)),
    { type: "finish", choice, reason: finish, ...(stopSequence === undefined ? {} : { stopSequence }) },
  ];
}

/** Returns the events of a complete part. */
export function partToEvents(completePart: Part, choice: number, part: number): readonly TextEvent[] {
  if (!isStreamed(completePart)) return [{ type: "part-whole", choice, part, whole: completePart }];
  const citations = completePart.kind === "text" ? (completePart.citations ?? []) : [];
  const signature = completePart.kind === "refusal" ? undefined : completePart.signature;
  return [
    { type: "part-start", choice, part, opened: openedPart(completePart) },
    ...partDeltas(completePart, choice, part),
    ...citations.map((citation) => ({ type: "citation", choice, part, citation }) as const),
    { type: "part-end", choice, part, ...(signature === undefined ? {} : { signature }) },
  ];
}

function isStreamed(part: Part): part is StreamedPart {
  return part.kind === "text" || part.kind === "refusal" || part.kind === "reasoning" || part.kind === "tool-call";
}

function openedPart(part: StreamedPart): OpenedPart {
  if (part.kind === "text") return { kind: part.kind };
  if (part.kind === "refusal") return withoutUndefined({ kind: part.kind, details: part.details });
  if (part.kind === "reasoning") return { kind: "reasoning", summary: part.summary, id: part.id };
  return { kind: "tool-call", id: part.id, name: part.name, custom: part.custom };
}

function partDeltas(part: StreamedPart, choice: number, index: number): readonly TextEvent[] {
  const text = part.kind === "tool-call" ? part.arguments : part.text;
  const logProbabilities = part.kind === "text" ? part.logProbabilities : undefined;
  if (text === "" && logProbabilities === undefined) return [];
  return [
    { type: "part-delta", choice, part: index, text, ...(logProbabilities === undefined ? {} : { logProbabilities }) },
  ];
}

/** Maximum characters of the events that wait until the open part ends. */
export const maxWaiting = 8 * 2 ** 20;

type PartEvent = Extract<TextEvent, { readonly part: number }>;

/** Orders the events of overlapping parts, for wires with one choice and one open part at a time. */
export class PartSequencer {
  #open: number | undefined;
  #characters = 0;
  readonly #waiting = new Map<number, PartEvent[]>();

  /** Returns the events that may be written after `event` has arrived. */
  add(event: TextEvent): readonly TextEvent[] {
    if ("choice" in event && event.choice !== 0) return [];
    if ("part" in event) return this.#addPart(event);
    return event.type === "finish" ? [...this.#flush(), event] : [event];
  }

  #addPart(event: PartEvent): readonly TextEvent[] {
    if (this.#open !== undefined && this.#open !== event.part) {
      this.#wait(event);
      return [];
    }
    if (event.type === "part-start") this.#open = event.part;
    if (event.type !== "part-end") return [event];
    this.#open = undefined;
    return [event, ...this.#release()];
  }

  /** Returns the waiting events up to the first part that has not ended. That part is then open. */
  #release(): readonly TextEvent[] {
    const released: TextEvent[] = [];
    for (const [part, events] of this.#waiting) {
      this.#waiting.delete(part);
      for (const event of events) released.push(event);
      if (events.at(-1)?.type === "part-end" || events[0]?.type === "part-whole") continue;
      this.#open = part;
      break;
    }
    if (this.#waiting.size === 0) this.#characters = 0;
    return released;
  }

  /** Returns all waiting events. At the end of the answer, all their parts have ended. */
  #flush(): readonly TextEvent[] {
    const events = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return events;
  }

  #wait(event: PartEvent): void {
    if (event.type === "part-delta") this.#characters += event.text.length + 1;
    if (this.#characters > maxWaiting)
      throw new Failure("upstream_error", "Too much of the answer is waiting for one part.");
    const events = this.#waiting.get(event.part);
    if (events === undefined) this.#waiting.set(event.part, [event]);
    else events.push(event);
  }
}

/** Collects the usage of a stream, and the end of its first choice. */
export class StreamSummary {
  usage: Units | undefined;
  finish: FinishReason = "other";
  stopSequence: string | undefined;

  add(event: TextEvent): void {
    if (event.type === "start" || event.type === "usage") this.usage = event.usage ?? this.usage;
    if (event.type !== "finish" || event.choice !== 0) return;
    this.finish = event.reason;
    this.stopSequence = event.stopSequence;
  }
}

/** Handlers of a stream's events. An event without a handler is ignored. */
export type EventHandlers<Result> = {
  readonly [Type in TextEvent["type"]]?: (event: Extract<TextEvent, { type: Type }>) => Result;
};

export function dispatch<Result>(on: EventHandlers<Result>, event: TextEvent): Result | undefined {
  // TypeScript does not see that a handler gets only the events of its key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const handler = on[event.type] as ((event: TextEvent) => Result) | undefined;
  return handler?.(event);
}
