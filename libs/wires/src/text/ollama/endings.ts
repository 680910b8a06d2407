import type { FinishReason } from "../hub/answer.ts";

/** What each neutral reason is called here; filtered answers have a word of OpenAI's, as Ollama filters none. */
export const finishWords = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-full": "length",
  "tool-calls": "stop",
  filtered: "content_filter",
  refused: "content_filter",
  paused: "stop",
  "malformed-tool-call": "stop",
  other: "stop",
} as const satisfies Record<FinishReason, string>;
