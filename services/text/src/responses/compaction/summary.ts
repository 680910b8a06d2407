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

/** Returns the summary in a model's answer. Throws Failure as `requireComplete` does. */
export function summaryIn({ choices: [choice] }: TextAnswer): string {
  const parts = choice?.parts ?? [];
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  requireComplete(text, choice?.finish ?? "other");
  return text;
}

/**
 * Throws Failure upstream_error if a summary is empty or cut off: the client would replace its conversation by it.
 * Reasoning counts against the output limit too.
 */
export function requireComplete(summary: string, finish: FinishReason): void {
  if (summary.trim() === "" || !completeFinishes.has(finish))
    throw new Failure("upstream_error", "The model wrote no complete summary.");
}
