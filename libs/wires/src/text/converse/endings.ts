import { own } from "../../json/own.ts";
import type { FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";

const reasons: Readonly<Record<string, FinishReason>> = {
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context-full",
  tool_use: "tool-calls",
  guardrail_intervened: "filtered",
  content_filtered: "filtered",
  malformed_tool_use: "malformed-tool-call",
  malformed_model_output: "other",
};

/** Why the model stopped; an unknown word is a natural end. */
export function finishOf(word: unknown, kinds: ReadonlySet<Part["kind"]>): FinishReason {
  const reason = typeof word === "string" ? own(reasons, word) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}
