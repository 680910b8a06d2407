import { Failure } from "@modelgate/contracts";
import type { JsonObject, TextAnswer, TextRequest } from "@modelgate/wires/text";
import { transcriptOf } from "../transcript.ts";

/** Maximum tokens of a summary. */
export const summaryTokens = 4_096;

const instruction = [
  "You compact a conversation between a user and an assistant so that the assistant can go on with it from your text alone.",
  "Write down: the user's goals and instructions, decisions and their reasons, facts found, names of files, functions and values that matter, what has been done, what is open, and results of tools that are still needed.",
  "Be dense and exact. Invent nothing. Answer with the summary only.",
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

/** Returns the summary in a model's answer. Throws Failure upstream_error if it is empty. */
export function summaryIn({ choices }: TextAnswer): string {
  const parts = choices[0]?.parts ?? [];
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  if (text.trim() === "") throw new Failure("upstream_error", "The model wrote no summary.");
  return text;
}
