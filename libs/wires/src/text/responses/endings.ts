import { isRecord } from "../../json/fields.ts";
import type { FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/** How a response ended, in its own words. */
export interface Ending {
  readonly status: "completed" | "incomplete" | "failed";
  readonly incomplete_details: JsonObject | null;
  readonly error: JsonObject | null;
}

const completed: Ending = { status: "completed", incomplete_details: null, error: null };
const cut = (reason: string): Ending => ({ ...completed, status: "incomplete", incomplete_details: { reason } });

const endings: Readonly<Record<FinishReason, Ending>> = {
  stop: completed,
  "stop-sequence": completed,
  length: cut("max_output_tokens"),
  "context-full": cut("max_output_tokens"),
  "tool-calls": completed,
  filtered: cut("content_filter"),
  refused: cut("content_filter"),
  paused: completed,
  "malformed-tool-call": {
    status: "failed",
    incomplete_details: null,
    error: { code: "server_error", message: "The model wrote a tool call that cannot be read." },
  },
  other: completed,
};

/** The ending for a finish reason; a refusal that was said in words is a whole answer. */
export function endingOf(finish: FinishReason, refusedInWords: boolean): Ending {
  return finish === "refused" && refusedInWords ? completed : endings[finish];
}

/** Why the model stopped, out of a finished response and what it holds. */
export function finishOf(response: JsonObject, kinds: ReadonlySet<Part["kind"]>): FinishReason {
  if (response["status"] === "incomplete") {
    const details = response["incomplete_details"];
    const reason = isRecord(details) ? details["reason"] : undefined;
    return reason === "content_filter" ? "filtered" : "length";
  }
  if (kinds.has("tool-call")) return "tool-calls";
  return kinds.has("refusal") ? "refused" : "stop";
}
