import { Failure, withoutUndefined } from "@modelgate/contracts";
import { memberOf, Fields, isRecord, asText, type JsonRecord } from "@modelgate/formats/json";
import { parseFinishReason, isEmptyText, readAnswerPart, type TextAnswer, type FinishReason } from "../hub/answer.ts";
import type { RefusalPart } from "../hub/part.ts";
import { parseContent } from "./parts.ts";
import { messagesUsage, tierOf } from "./usage.ts";

export function parseAnswer(body: JsonRecord): TextAnswer {
  blocksOf(body);
  const blockParts = readAnswerPart("a block", () => parseContent(new Fields(body), "content", new Map()));
  const parts = [...blockParts.filter((part) => !isEmptyText(part)), ...refusalOf(body)];
  const usage = messagesUsage(body["usage"]);
  const tier = isRecord(body["usage"]) ? tierOf(body["usage"]["service_tier"]) : undefined;
  const finish = parseFinishReason(finishReasons, body["stop_reason"], new Set(parts.map(({ kind }) => kind)));
  const stopSequence = body["stop_sequence"];
  return withoutUndefined({
    id: asText(body["id"]),
    model: asText(body["model"]),
    createdAt: 0,
    choices: [{ parts, finish, ...(typeof stopSequence === "string" ? { stopSequence } : {}) }],
    usage,
    serviceTier: tier,
  });
}

/** Returns the vendor's explanation of a refusal. */
export function refusalOf({ stop_reason: reason, stop_details: details }: JsonRecord): readonly RefusalPart[] {
  if (reason !== "refusal" || !isRecord(details)) return [];
  const { explanation, category } = details;
  const declined = typeof category === "string" ? `The model declined to answer (${category}).` : undefined;
  const text = typeof explanation === "string" && explanation !== "" ? explanation : declined;
  return text === undefined ? [] : [{ kind: "refusal", text, details }];
}

/** Returns the content blocks of a message. Throws Failure upstream_error if it has no content. */
export function blocksOf(body: JsonRecord): readonly unknown[] {
  const { content } = body;
  if (Array.isArray(content)) return content;
  const message = memberOf(body["error"], "message");
  throw new Failure("upstream_error", typeof message === "string" ? message : "The vendor's answer has no content.");
}

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

/** Returns the wire's stop reason. A normal end with calls is `tool_use`. */
export function stopReasonOf(finish: FinishReason, hasCalls: boolean): string {
  return hasCalls && (finish === "stop" || finish === "other") ? "tool_use" : stopReasons[finish];
}

/** Stop reasons other than a normal end. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context-full",
  tool_use: "tool-calls",
  refusal: "refused",
  pause_turn: "paused",
};
