import { own } from "../../json/own.ts";
import type { FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/** What each neutral reason is called here. */
const words = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-full": "length",
  "tool-calls": "tool_calls",
  filtered: "content_filter",
  refused: "content_filter",
  paused: "stop",
  // A call that cannot be read is no natural end, and the wire has no word for it.
  "malformed-tool-call": "content_filter",
  other: "stop",
} as const satisfies Record<FinishReason, string>;

/** How an answer ended, for a client: a refusal in words is a whole answer; a call of old has a word of its own. */
export function finishWord(finish: FinishReason, refusedInWords: boolean, oldCalls: boolean): string {
  if (finish === "refused" && refusedInWords) return "stop";
  return finish === "tool-calls" && oldCalls ? "function_call" : words[finish];
}

/** Words of vendors that are not the natural end. */
const reasons: Readonly<Record<string, FinishReason>> = {
  length: "length",
  max_tokens: "length",
  model_length: "context-full",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "filtered",
  sensitive: "filtered",
};

/** Why a choice ended and, where the vendor says so, at which stop sequence. */
export interface Finish {
  readonly finish: FinishReason;
  readonly stopSequence?: string | undefined;
}

/**
 * Why a choice of a vendor ended: one with calls that ended naturally wants them run, whatever its word; an unknown
 * word is a natural end. `stop_reason` beside it is the stop sequence (vLLM).
 */
export function finishOf(choice: JsonObject, kinds: ReadonlySet<Part["kind"]>): Finish {
  const word = choice["finish_reason"];
  const reason = typeof word === "string" ? own(reasons, word) : undefined;
  if (reason !== undefined && reason !== "tool-calls") return { finish: reason };
  if (kinds.has("tool-call")) return { finish: "tool-calls" };
  if (kinds.has("refusal")) return { finish: "refused" };
  const stopSequence = choice["stop_reason"];
  return typeof stopSequence === "string" && stopSequence !== ""
    ? { finish: "stop-sequence", stopSequence }
    : { finish: "stop" };
}
