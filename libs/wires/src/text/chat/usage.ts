import { totalInputTokens, totalOutputTokens, type Units, withoutUndefined } from "@modelgate/contracts";
import { hasAny, isRecord, asRecord, type JsonRecord } from "@modelgate/formats/json";
import type { RequestedFees, RequestedTool, ReportedExtraUsage } from "../fees.ts";
import {
  feesUnlessNone,
  requestedExtensions,
  openAiTier,
  openAiTiers,
  countedTools,
  recordsWithPaths,
  extensionFeeMembers,
  reportedFees,
  unitOfTool,
} from "../fees.ts";
import { cacheWritesIn, parseCount, withoutZeroUnits } from "../hub/counts.ts";
import { findUsage, type ChatDialect } from "./dialect.ts";

/** Members of `usage` with the input tokens that were read from a cache, for vendors without a dialect. */
const cachedInputMembers = ["prompt_cache_hit_tokens", "cached_tokens"];

/**
 * Converts `usage` to units. Without a dialect, it reads the spellings of several vendors. A detail is at most its
 * total.
 */
export function chatUsage(usage: unknown, dialect: ChatDialect = {}): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = parseCount(usage["prompt_tokens"]);
  const completion = parseCount(usage["completion_tokens"]);
  if (prompt === undefined && completion === undefined) return undefined;
  return withoutZeroUnits({
    ...inputUnits(usage, prompt ?? 0, dialect),
    ...outputUnits(usage, prompt ?? 0, completion ?? 0, dialect),
  });
}

/**
 * Reads the usage of an answer or chunk, at the positions that vendors use. Cloudflare sends chunks whose usage has no
 * prompt tokens; such usage is skipped.
 */
export function readUsage(answer: JsonRecord, dialect: ChatDialect = {}): Units | undefined {
  const choices = answer["choices"];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const units =
    chatUsage(dialect.usageIn === undefined ? answer["usage"] : findUsage(answer, dialect), dialect) ??
    (isRecord(first) ? chatUsage(first["usage"], dialect) : undefined);
  const isPiece = answer["object"] === "chat.completion.chunk" && units !== undefined && totalInputTokens(units) === 0;
  return isPiece ? undefined : units;
}

function inputUnits(usage: JsonRecord, prompt: number, { cachedAt }: ChatDialect): Units {
  const input = asRecord(usage["prompt_tokens_details"]);
  let cached = parseCount(input["cached_tokens"]);
  for (const name of cachedAt === undefined ? cachedInputMembers : [cachedAt]) cached ??= parseCount(usage[name]);
  const cachedInputTokens = Math.min(cached ?? 0, prompt);
  const cacheWriteTokens = Math.min(parseCount(input["cache_write_tokens"]) ?? 0, prompt - cachedInputTokens);
  const uncached = prompt - cachedInputTokens - cacheWriteTokens;
  const inputAudioTokens = Math.min(parseCount(input["audio_tokens"]) ?? 0, uncached);
  const inputImageTokens = Math.min(parseCount(input["image_tokens"]) ?? 0, uncached - inputAudioTokens);
  return {
    inputTokens: uncached - inputAudioTokens - inputImageTokens,
    cachedInputTokens,
    cacheWriteTokens,
    inputAudioTokens,
    inputImageTokens,
  };
}

function outputUnits(usage: JsonRecord, prompt: number, completion: number, { separateReasoning }: ChatDialect): Units {
  const counts = asRecord(usage["completion_tokens_details"]);
  // Some vendors report reasoning tokens at the top of `usage` instead. A number above the completion is not reliable.
  const topReasoning = parseCount(usage["reasoning_tokens"]) ?? 0;
  const reasoning = parseCount(counts["reasoning_tokens"]) ?? (topReasoning <= completion ? topReasoning : 0);
  const total = parseCount(usage["total_tokens"]);
  // The total shows whether the completion includes the reasoning.
  const isExtra =
    reasoning > 0 &&
    (separateReasoning === true ? total !== prompt + completion : total === prompt + completion + reasoning);
  const output = isExtra ? completion + reasoning : completion;
  const outputAudioTokens = Math.min(parseCount(counts["audio_tokens"]) ?? 0, output);
  const outputImageTokens = Math.min(parseCount(counts["image_tokens"]) ?? 0, output - outputAudioTokens);
  const outputTokens = output - outputAudioTokens - outputImageTokens;
  return {
    outputTokens,
    reasoningTokens: Math.min(reasoning, outputTokens),
    outputAudioTokens,
    outputImageTokens,
  };
}

/** Renders units as `usage`. */
export function renderUsage(units: Units): JsonRecord {
  const [input, output] = [totalInputTokens(units), totalOutputTokens(units)];
  const cacheWriteTokens = cacheWritesIn(units);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: withoutUndefined({
      cached_tokens: units.cachedInputTokens ?? 0,
      audio_tokens: units.inputAudioTokens ?? 0,
      image_tokens: units.inputImageTokens,
      cache_write_tokens: cacheWriteTokens,
    }),
    completion_tokens_details: withoutUndefined({
      reasoning_tokens: units.reasoningTokens ?? 0,
      audio_tokens: units.outputAudioTokens ?? 0,
      image_tokens: units.outputImageTokens,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    }),
  };
}

export const feeMembers = ["tools", "web_search_options", "service_tier", ...extensionFeeMembers];

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  if (!hasAny(body, feeMembers)) return undefined;
  const search = body["web_search_options"] ?? undefined;
  return feesUnlessNone({
    tools: [
      ...recordsWithPaths(body["tools"]).flatMap(([path, tool]) => vendorTool(`tools${path}`, tool)),
      ...(search === undefined
        ? []
        : [{ path: "web_search_options", unit: "webSearches", isUnreported: true } as const]),
      ...requestedExtensions(body),
    ],
    tiers: openAiTiers(body, "service_tier"),
  });
}

/** Returns the tool if the vendor runs it. Clients run functions and free-text tools. */
function vendorTool(path: string, tool: JsonRecord): readonly RequestedTool[] {
  const { type = "function", function: declared } = tool;
  if (type === "function" || type === "custom") return [];
  const toolName = type === "builtin_function" && isRecord(declared) ? declared["name"] : type;
  return [{ path, unit: unitOfTool(toolName) }];
}

/** Reads the charges other than tokens from an answer, or from the chunk that has the usage. */
export function chatFees({ usage, service_tier: tier }: JsonRecord): ReportedExtraUsage | undefined {
  return reportedFees({ counts: countedTools(usage), ...openAiTier(tier) });
}
