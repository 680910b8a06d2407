import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import { asRecords, memberOf, isRecord, type JsonRecord, asText } from "@modelgate/formats/json";
import { feesUnlessNone, reportedFees, normalizeTier, type RequestedFees, type ReportedExtraUsage } from "../fees.ts";
import { parseFinishReason, type TextAnswer, type FinishReason } from "../hub/answer.ts";
import { parseCount, withoutZeroUnits } from "../hub/counts.ts";
import type { Citation, Part } from "../hub/part.ts";
import { renderArguments } from "../hub/tool-calls.ts";
import { redactedSignature, parseSignature } from "./turns.ts";

/** Parses a vendor's answer, which has no id, model or time. Throws Failure upstream_error. */
export function parseAnswer(body: JsonRecord): TextAnswer {
  const parts = listBlocks(body).flatMap(parseBlock);
  const usage = converseUsage(body["usage"]);
  const finish = parseFinishReason(finishReasons, body["stopReason"], new Set(parts.map(({ kind }) => kind)));
  const tier = converseFees(body)?.tier;
  const stopSequence = readStopSequence(body["additionalModelResponseFields"]);
  return withoutUndefined({
    id: "",
    model: "",
    createdAt: 0,
    choices: [withoutUndefined({ parts, finish, stopSequence })],
    usage,
    serviceTier: tier,
  });
}

export function readUsage(body: JsonRecord): Units | undefined {
  listBlocks(body);
  return converseUsage(body["usage"]);
}

/** Returns the stop sequence that ended the answer. A model reports it only if the request asks for it. */
export function readStopSequence(fields: unknown): string | undefined {
  const sequence = memberOf(fields, "stop_sequence");
  return typeof sequence === "string" ? sequence : undefined;
}

function listBlocks({ output }: JsonRecord): readonly JsonRecord[] {
  const message = memberOf(output, "message");
  const content = memberOf(message, "content");
  if (Array.isArray(content) && content.every(isRecord)) return content;
  throw new Failure("upstream_error", "The vendor's answer has no content.");
}

function parseBlock(block: JsonRecord): readonly Part[] {
  const { text, toolUse, reasoningContent, citationsContent, image } = block;
  if (typeof text === "string") return text === "" ? [] : [{ kind: "text", text }];
  if (isRecord(toolUse)) {
    const { toolUseId: id, name, input } = toolUse;
    return [{ kind: "tool-call", id: asText(id), name: asText(name), arguments: renderArguments(input) }];
  }
  if (isRecord(reasoningContent)) return parseReasoning(reasoningContent);
  if (isRecord(citationsContent)) return parseCitedText(citationsContent);
  if (isRecord(image)) return parseImage(image);
  return [{ kind: "vendor", wire: "converse", value: block }];
}

function parseReasoning({ reasoningText, redactedContent }: JsonRecord): readonly Part[] {
  if (typeof redactedContent === "string")
    return [{ kind: "reasoning", text: "", signature: redactedSignature(redactedContent) }];
  if (!isRecord(reasoningText)) return [];
  const signature = parseSignature(reasoningText["signature"]);
  const text = asText(reasoningText["text"]);
  if (text === "" && signature === undefined) return [];
  return [withoutUndefined({ kind: "reasoning", text, signature })];
}

function parseCitedText({ content, citations }: JsonRecord): readonly Part[] {
  const texts = Array.isArray(content) ? content.filter(isRecord).map(({ text }) => asText(text)) : [];
  const cited = Array.isArray(citations) ? citations.flatMap(parseCitation) : [];
  const text = texts.join("");
  return text === "" ? [] : [{ kind: "text", text, ...(cited.length > 0 ? { citations: cited } : {}) }];
}

export function parseCitation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { title, sourceContent, location } = value;
  const web = memberOf(memberOf(location, "web"), "url");
  const quoted = Array.isArray(sourceContent) ? sourceContent.filter(isRecord).map(({ text }) => asText(text)) : [];
  return [
    withoutUndefined({
      url: typeof web === "string" ? web : undefined,
      title: typeof title === "string" ? title : undefined,
      citedText: quoted.length > 0 ? quoted.join("") : undefined,
    }),
  ];
}

function parseImage({ format, source }: JsonRecord): readonly Part[] {
  const data = memberOf(source, "bytes");
  return typeof data === "string" ? [imagePart(asText(format), data)] : [];
}

export function imagePart(format: string, data: string): Part {
  return { kind: "image", source: { kind: "base64", mediaType: `image/${format || "png"}`, data } };
}

/** Finish reasons other than a normal end. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context-full",
  tool_use: "tool-calls",
  guardrail_intervened: "filtered",
  content_filtered: "filtered",
  malformed_tool_use: "malformed-tool-call",
  malformed_model_output: "other",
};

/** Converts `usage` to units. `cacheDetails` states how many written tokens are cached for an hour. */
export function converseUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const inputTokens = parseCount(usage["inputTokens"]);
  const outputTokens = parseCount(usage["outputTokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheWriteTokens = parseCount(usage["cacheWriteInputTokens"]) ?? 0;
  const oneHourTokens = Math.min(cacheWriteTokens, oneHourCacheWriteTokens(usage));
  return withoutZeroUnits({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cachedInputTokens: parseCount(usage["cacheReadInputTokens"]) ?? 0,
    cacheWriteTokens: cacheWriteTokens - oneHourTokens,
    cacheWrite1hTokens: oneHourTokens,
  });
}

function oneHourCacheWriteTokens({ cacheDetails: details }: JsonRecord): number {
  const writes = asRecords(details);
  return writes.reduce((sum, { ttl, inputTokens }) => sum + (ttl === "1h" ? (parseCount(inputTokens) ?? 0) : 0), 0);
}

/**
 * Returns the charges of a request in addition to tokens: its service tier. Tools are never charged, because clients
 * run them.
 */
export function requestedFees({ serviceTier }: JsonRecord): RequestedFees | undefined {
  const name = parseTier(serviceTier);
  return feesUnlessNone({ tools: [], tiers: name === undefined ? [] : [{ name, path: "serviceTier" }] });
}

/** Reads the service tier from an answer, or from the last event of a stream. */
export function converseFees({ serviceTier }: JsonRecord): ReportedExtraUsage | undefined {
  return reportedFees({ tier: parseTier(serviceTier) });
}

function parseTier(tier: unknown): string | undefined {
  return isRecord(tier) ? normalizeTier(tier["type"]) : undefined;
}
