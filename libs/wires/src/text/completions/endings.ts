import type { FinishReason } from "../hub/answer.ts";

/** What each neutral reason is called here. */
export const finishWords = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-full": "length",
  "tool-calls": "stop",
  filtered: "content_filter",
  // The refusal's words are sent as text, so the reason must say what they are.
  refused: "content_filter",
  paused: "stop",
  "malformed-tool-call": "stop",
  other: "stop",
} as const satisfies Record<FinishReason, string>;
