import { Failure, withoutUndefined } from "@modelgate/contracts";
import { asRecords, memberOf, Fields, isRecord, asText, type JsonRecord } from "@modelgate/formats/json";
import type { Choice, TextAnswer, FinishReason } from "../hub/answer.ts";
import { attachCitations } from "../hub/content.ts";
import type { Part } from "../hub/part.ts";
import { parseFinishReason, parseTime, isEmptyText, readAnswerPart } from "../hub/answer.ts";
import { CallPairs } from "../hub/tool-calls.ts";
import { parsePart } from "./parts.ts";
import { parseCitations, parseProbabilities } from "./sources.ts";
import { contentUsage } from "./usage.ts";

/** Parses an answer. A blocked prompt becomes a filtered choice. Throws Failure upstream_error. */
export function parseAnswer(body: JsonRecord): TextAnswer {
  const head = parseHead(body);
  const usage = contentUsage(body["usageMetadata"]);
  const blocked: Choice = { parts: [], finish: "filtered" };
  const choices = isBlocked(body)
    ? [blocked]
    : requireCandidates(body).map((each, index) => parseChoice(each, head.id, index));
  return withoutUndefined({ ...head, choices, usage });
}

export function parseHead(body: JsonRecord): Pick<TextAnswer, "id" | "model" | "createdAt"> {
  return {
    id: asText(body["responseId"]),
    model: asText(body["modelVersion"]),
    createdAt: parseTime(body["createTime"]),
  };
}

/** Returns the candidates of an answer. Throws Failure upstream_error if they are missing. */
export function requireCandidates(body: JsonRecord): readonly JsonRecord[] {
  const candidates = asRecords(body["candidates"]);
  if (candidates.length === 0) throw new Failure("upstream_error", "The vendor's answer has no candidates.");
  return candidates;
}

export function isBlocked(body: JsonRecord): boolean {
  const feedback = body["promptFeedback"];
  return (
    isRecord(feedback) && typeof feedback["blockReason"] === "string" && asRecords(body["candidates"]).length === 0
  );
}

/** Parses a candidate's parts. Missing ids of calls are derived from the path. */
export function answerParts(candidate: JsonRecord, path: readonly (string | number)[]): readonly Part[] {
  const content = candidate["content"];
  const parts = memberOf(content, "parts");
  if (!Array.isArray(parts)) return [];
  const calls = new CallPairs();
  return parts.filter(isRecord).map((part, index) => {
    const plain = parseText(part);
    if (plain !== undefined) return plain;
    const argumentsText = isRecord(part["functionCall"]) ? JSON.stringify(part["functionCall"]["args"] ?? {}) : "";
    return readAnswerPart("a part", () =>
      parsePart(new Fields(part, "", "either"), { calls, path: [...path, index, argumentsText] }),
    );
  });
}

function parseText(part: JsonRecord): Part | undefined {
  for (const name in part) if (name !== "text" && name !== "thought") return undefined;
  const { text, thought } = part;
  if (typeof text !== "string" || (thought !== undefined && typeof thought !== "boolean")) return undefined;
  return { kind: thought === true ? "reasoning" : "text", text };
}

function parseChoice(candidate: JsonRecord, id: string, index: number): Choice {
  const parts = answerParts(candidate, [id, index]).filter((part) => !isEmptyText(part));
  const kinds = new Set(parts.map(({ kind }) => kind));
  const logProbabilities = parseProbabilities(candidate["logprobsResult"]);
  return {
    parts: attachCitations(parts, parseCitations(candidate), logProbabilities),
    finish: parseFinishReason(finishReasons, candidate["finishReason"], kinds),
  };
}

export const contentFinishReasons = {
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

/** Finish reasons other than a normal end. An answer with calls ends with STOP too. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: "length",
  // A client of another wire cannot continue the answer.
  CONTINUATION: "length",
  SAFETY: "filtered",
  RECITATION: "filtered",
  BLOCKLIST: "filtered",
  PROHIBITED_CONTENT: "filtered",
  SPII: "filtered",
  MODEL_ARMOR: "filtered",
  IMAGE_SAFETY: "filtered",
  IMAGE_PROHIBITED_CONTENT: "filtered",
  IMAGE_RECITATION: "filtered",
  IMAGE_OTHER: "filtered",
  NO_IMAGE: "filtered",
  MALFORMED_FUNCTION_CALL: "malformed-tool-call",
  UNEXPECTED_TOOL_CALL: "malformed-tool-call",
  TOO_MANY_TOOL_CALLS: "malformed-tool-call",
  MALFORMED_RESPONSE: "malformed-tool-call",
  MISSING_THOUGHT_SIGNATURE: "malformed-tool-call",
  ESCALATION: "other",
  LANGUAGE: "other",
  OTHER: "other",
};
