import { Failure, withoutUndefined } from "@modelgate/contracts";
import { memberOf, Fields, isRecord, asText, type JsonRecord } from "@modelgate/formats/json";
import { readAnswerPart, type TextAnswer, type FinishReason } from "../hub/answer.ts";
import type { Part } from "../hub/part.ts";
import { parseModelItem } from "./parse-items.ts";
import { responsesUsage } from "./usage.ts";

export function parseAnswer(body: JsonRecord): TextAnswer {
  const parts = outputOf(body).flatMap((item) => parseAnswerItem(item));
  const usage = responsesUsage(body["usage"]);
  const tier = body["service_tier"];
  return withoutUndefined({
    id: asText(body["id"]),
    model: asText(body["model"]),
    createdAt: typeof body["created_at"] === "number" ? body["created_at"] : 0,
    choices: [{ parts, finish: finishOf(body, new Set(parts.map(({ kind }) => kind))) }],
    usage,
    ...(typeof tier === "string" ? { serviceTier: tier } : {}),
  });
}

/** Returns the output items of a response. Throws Failure upstream_error if it failed or has none. */
export function outputOf(body: JsonRecord): readonly unknown[] {
  const { output } = body;
  if (body["status"] === "failed" || body["status"] === "cancelled") throw reportedFailure(body);
  if (!Array.isArray(output)) throw new Failure("upstream_error", "The vendor's answer has no output.");
  return output;
}

/** Parses one output item; unknown types are ignored. */
export function parseAnswerItem(item: unknown): readonly Part[] {
  const type = memberOf(item, "type");
  if (!isRecord(item) || typeof type !== "string") return [];
  return readAnswerPart("an item", () => parseModelItem(new Fields(item), type) ?? []);
}

function reportedFailure({ error }: JsonRecord): Failure {
  const message = memberOf(error, "message");
  return new Failure("upstream_error", typeof message === "string" ? message : undefined);
}

/** Members of a response that state how it ended. */
export interface ResponseEnding {
  readonly status: "completed" | "incomplete" | "failed";
  readonly incomplete_details: JsonRecord | null;
  readonly error: JsonRecord | null;
}

const completed: ResponseEnding = { status: "completed", incomplete_details: null, error: null };

const incompleteEnding = (reason: string): ResponseEnding => ({
  ...completed,
  status: "incomplete",
  incomplete_details: { reason },
});

const endings: Readonly<Record<FinishReason, ResponseEnding>> = {
  stop: completed,
  "stop-sequence": completed,
  length: incompleteEnding("max_output_tokens"),
  "context-full": incompleteEnding("max_output_tokens"),
  "tool-calls": completed,
  filtered: incompleteEnding("content_filter"),
  refused: incompleteEnding("content_filter"),
  paused: completed,
  "malformed-tool-call": {
    status: "failed",
    incomplete_details: null,
    error: { code: "server_error", message: "The model wrote a tool call that cannot be read." },
  },
  other: completed,
};

/** Returns the ending for a finish reason. If the text of the answer is a refusal, the answer is complete. */
export function endingOf(finish: FinishReason, isRefusedAsText: boolean): ResponseEnding {
  return finish === "refused" && isRefusedAsText ? completed : endings[finish];
}

/** Returns the reason why the model stopped. */
export function finishOf(response: JsonRecord, kinds: ReadonlySet<Part["kind"]>): FinishReason {
  if (response["status"] === "incomplete") {
    const details = response["incomplete_details"];
    const reason = memberOf(details, "reason");
    return reason === "content_filter" ? "filtered" : "length";
  }
  if (kinds.has("tool-call")) return "tool-calls";
  return kinds.has("refusal") ? "refused" : "stop";
}
