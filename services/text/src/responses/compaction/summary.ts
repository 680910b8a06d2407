import { Failure } from "@modelgate/contracts";
import type { FinishReason, JsonObject, TextAnswer, TextRequest } from "@modelgate/wires/text";
import { transcriptOf } from "../transcript.ts";

/** Maximum tokens of a summary. */
export const summaryTokens = 4_096;

const instruction = [
  "You compact a conversation between a user and an assistant so that the assistant can go on with it from your text alone.",
  "Write down: the user's goals and instructions, decisions and their reasons, facts found, names of files, functions and values that matter, what has been done, what is open, and results of tools that are still needed.",
  "Be dense and exact, and write at most 2,000 words. Invent nothing. Answer with the summary only.",
].join("\n");

/** Returns the request to summarize a conversation, in the neutral form. */
export function summaryRequest(
  model: string,
  stream: boolean,
  instructions: string | undefined,
  items: readonly JsonObject[],
): TextRequest {
  const rules = instructions === undefined ? "" : `The assistant's instructions:\n${instructions}\n\n`;
  const text = `${rules}The conversation:\n\n${transcriptOf(items)}`;
  return {
    model,
    stream,
    instructions: [{ kind: "text", text: instruction }],
    turns: [{ role: "user", parts: [{ kind: "text", text }] }],
    maxTokens: summaryTokens,
  };
}

/** Finish reasons of a complete summary. */
const completeFinishes: ReadonlySet<FinishReason> = new Set(["stop", "stop-sequence", "other"]);

/** Returns the text of an answer, and the failure of `summaryFailure`. */
export function summaryIn({ choices: [choice] }: TextAnswer): {
  readonly text: string;
  readonly failure: Failure | undefined;
} {
  const parts = choice?.parts ?? [];
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return { text, failure: summaryFailure(text, choice?.finish ?? "other") };
}

/**
 * Returns Failure compaction_failed if a summary is empty or cut off: the client would replace its conversation by it.
 * Reasoning counts against the output limit too.
 */
export function summaryFailure(summary: string, finish: FinishReason): Failure | undefined {
  if (summary.trim() !== "" && completeFinishes.has(finish)) return undefined;
  return new Failure("compaction_failed");
}
