import { own } from "../../json/own.ts";
import type { FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";

/** What each neutral reason is called here. */
const stopReasons = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "context-full": "model_context_window_exceeded",
  "tool-calls": "tool_use",
  filtered: "refusal",
  refused: "refusal",
  paused: "pause_turn",
  "malformed-tool-call": "end_turn",
  other: "end_turn",
} as const satisfies Record<FinishReason, string>;

/** The word for a reason; a natural end after a call waits for the call's result, whatever the vendor said. */
export function stopReasonOf(finish: FinishReason, calls: boolean): string {
  return calls && (finish === "stop" || finish === "other") ? "tool_use" : stopReasons[finish];
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context-full",
  tool_use: "tool-calls",
  refusal: "refused",
  pause_turn: "paused",
};

/** Why the model stopped; an unknown word is a natural end. */
export function finishOf(word: unknown, kinds: ReadonlySet<Part["kind"]>): FinishReason {
  const reason = typeof word === "string" ? own(reasons, word) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}
