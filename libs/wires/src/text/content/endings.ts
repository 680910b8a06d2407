import { own } from "../../json/own.ts";
import type { FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";

/** What each neutral reason is called here. */
export const finishWords = {
  stop: "STOP",
  "stop-sequence": "STOP",
  length: "MAX_TOKENS",
  "context-full": "MAX_TOKENS",
  "tool-calls": "STOP",
  filtered: "SAFETY",
  refused: "SAFETY",
  paused: "STOP",
  "malformed-tool-call": "MALFORMED_FUNCTION_CALL",
  other: "OTHER",
} as const satisfies Record<FinishReason, string>;

/** Words of the vendor that are not the natural end. */
const reasons: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: "length",
  SAFETY: "filtered",
  RECITATION: "filtered",
  BLOCKLIST: "filtered",
  PROHIBITED_CONTENT: "filtered",
  SPII: "filtered",
  IMAGE_SAFETY: "filtered",
  IMAGE_PROHIBITED_CONTENT: "filtered",
  IMAGE_RECITATION: "filtered",
  IMAGE_OTHER: "filtered",
  NO_IMAGE: "filtered",
  MALFORMED_FUNCTION_CALL: "malformed-tool-call",
  UNEXPECTED_TOOL_CALL: "malformed-tool-call",
  TOO_MANY_TOOL_CALLS: "malformed-tool-call",
  LANGUAGE: "other",
  OTHER: "other",
};

/** Why the model stopped: calls end with STOP here, and an unknown word is a natural end. */
export function finishOf(word: unknown, kinds: ReadonlySet<Part["kind"]>): FinishReason {
  const reason = typeof word === "string" ? own(reasons, word) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}
