import { totalOutputTokens, withoutUndefined, type UnitName, type Units } from "@modelgate/contracts";
import { hasAny, isRecord, spliceMembers, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { isOnBedrock } from "../hub/claude.ts";
import { parseCount, withoutZeroUnits } from "../hub/counts.ts";
import {
  extensionFeeMembers,
  feesUnlessNone,
  requestedExtensions,
  requestedTiers,
  countedTools,
  recordsWithPaths,
  reportedFees,
  normalizeTier,
  unitOfTool,
} from "../fees.ts";
import type {
  RequestedFees,
  RequestedTier,
  RequestedTool,
  ReportedCall,
  ReportedExtraUsage,
  ReportedIteration,
} from "../fees.ts";
import { memberOf } from "../pass.ts";

const countMembers = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
] as const satisfies readonly UnitName[];

type Counts = { readonly [Name in (typeof countMembers)[number]]?: number | undefined };

/**
 * Converts `usage` to units. `before` has earlier counts, which the last report may leave out. Unlike on other wires,
 * `input_tokens` excludes tokens that were read from or written to a cache. The output includes reasoning.
 */
export function messagesUsage(usage: unknown, before?: Units): Units | undefined {
  return isRecord(usage) ? unitsOfTokens(usage, before) : undefined;
}

/** Converts `usage` to charged units. A refusal before any content is not charged (release notes of 2026-06-02). */
export function chargedUsage(
  usage: unknown,
  { stopReason, hasContent }: { stopReason: unknown; hasContent: boolean },
  before?: Units,
): Units | undefined {
  const units = messagesUsage(usage, before);
  const isFree = stopReason === "refusal" && !hasContent && isRecord(usage) && parseCount(usage["output_tokens"]) === 0;
  return units !== undefined && isFree ? { inputTokens: 0, outputTokens: 0 } : units;
}

function unitsOfTokens(usage: JsonRecord, before: Units = {}): Units | undefined {
  const counts = countsOf(usage);
  if (counts.inputTokens === undefined && counts.outputTokens === undefined) return undefined;
  const all: Units = { ...before };
  for (const name of countMembers) {
    const count = counts[name];
    if (count !== undefined) all[name] = count;
  }
  // A later report may have only the sum of all cache writes.
  if (counts.cacheWriteTokens !== undefined && counts.cacheWrite1hTokens === undefined) {
    all.cacheWrite1hTokens = Math.min(before.cacheWrite1hTokens ?? 0, counts.cacheWriteTokens);
    all.cacheWriteTokens = counts.cacheWriteTokens - all.cacheWrite1hTokens;
  }
  return withoutZeroUnits(all);
}

function countsOf(usage: JsonRecord): Counts {
  const details = usage["output_tokens_details"];
  const output = {
    outputTokens: parseCount(usage["output_tokens"]),
    reasoningTokens: isRecord(details) ? parseCount(details["thinking_tokens"]) : undefined,
  };
  const input = {
    inputTokens: parseCount(usage["input_tokens"]),
    cachedInputTokens: parseCount(usage["cache_read_input_tokens"]),
    ...cacheWrites(usage),
  };
  // Every prompt has tokens. If all input counts are zero, another event reports the input.
  const empty = Object.values(input).every((count) => (count ?? 0) === 0);
  return empty && output.outputTokens !== undefined ? output : { ...input, ...output };
}

/** Reads the tokens written to a cache. `cache_creation` states how many of them are cached for an hour. */
function cacheWrites({
  cache_creation_input_tokens: sum,
  cache_creation: creation,
}: JsonRecord): Pick<Counts, "cacheWriteTokens" | "cacheWrite1hTokens"> {
  const all = parseCount(sum);
  if (!isRecord(creation)) return { cacheWriteTokens: all };
  const [short, long] = [
    parseCount(creation["ephemeral_5m_input_tokens"]),
    parseCount(creation["ephemeral_1h_input_tokens"]),
  ];
  const cacheWrite1hTokens = all === undefined ? (long ?? 0) : Math.min(long ?? 0, all);
  return { cacheWriteTokens: all === undefined ? (short ?? 0) : all - cacheWrite1hTokens, cacheWrite1hTokens };
}

/**
 * Renders units as `usage`. There are no members for audio and image tokens, so they are included in the input or
 * output.
 */
export function renderUsage(units: Units): JsonRecord {
  const thinking = units.reasoningTokens ?? 0;
  const { cacheWriteTokens: short = 0, cacheWrite1hTokens: long = 0 } = units;
  return withoutUndefined({
    input_tokens: (units.inputTokens ?? 0) + (units.inputAudioTokens ?? 0) + (units.inputImageTokens ?? 0),
    cache_creation_input_tokens: short + long,
    cache_creation: long > 0 ? { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } : undefined,
    cache_read_input_tokens: units.cachedInputTokens ?? 0,
    output_tokens: totalOutputTokens(units),
    output_tokens_details: thinking > 0 ? { thinking_tokens: thinking } : undefined,
  });
}

export function tierOf(value: unknown): string | undefined {
  return typeof value !== "string" ? undefined : value === "standard" ? "default" : value;
}

export function tierWord(tier: string | undefined): string | undefined {
  return tier === "default" ? "standard" : tier;
}

export const feeMembers = ["tools", "mcp_servers", "service_tier", "speed", "inference_geo", ...extensionFeeMembers];

/** Matches tools that are not charged: those that the client runs, and the search among tools. */
const freeTools = /^(?:custom$|bash_|text_editor_|computer_|browser_|memory_|tool_search_tool_)/;

const tokenTools = /^(?:web_fetch_|mcp_toolset$)/;

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  if (!hasAny(body, feeMembers)) return undefined;
  const fallbacks = requestedFallbacks(body["fallbacks"]);
  return feesUnlessNone({
    tools: [
      ...recordsWithPaths(body["tools"]).flatMap(([path, tool]) => vendorTool(`tools${path}`, tool)),
      ...recordsWithPaths(body["mcp_servers"]).map(([path]) => ({ path: `mcp_servers${path}`, costsOnlyTokens: true })),
      ...(fallbacks ?? []),
      ...requestedExtensions(fallbacks === undefined ? body : { ...body, fallbacks: undefined }),
    ],
    tiers: messagesTiers(body),
  });
}

/** Values of `inference_geo` at the usual price. */
const usualRegions: ReadonlySet<string> = new Set(["", "global", "not_available"]);

/** Returns the requested tiers. A request that names a region is not sent without it. */
function messagesTiers(body: JsonRecord): readonly RequestedTier[] {
  const tiers = requestedTiers(body, "service_tier", "speed");
  const region = regionOf(body["inference_geo"]);
  if (region === undefined) return tiers;
  const tier = tiers.find(({ name }) => name !== "default");
  return [{ name: tierInRegion(tier?.name, region), path: "inference_geo", isRequired: true }];
}

/** Returns the name in prices of a region that costs more, such as `geo-us`. */
function regionOf(value: unknown): string | undefined {
  return typeof value !== "string" || usualRegions.has(value) ? undefined : `geo-${value.toLowerCase()}`;
}

/** Returns the name of a tier in a region, such as `fast-geo-us`: the vendor multiplies both factors. */
function tierInRegion(tier: string | undefined, region: string): string {
  return tier === undefined || tier === "default" ? region : `${tier}-${region}`;
}

/** Returns the models in `fallbacks`; undefined if it has another form than Anthropic's. */
function requestedFallbacks(fallbacks: unknown): readonly RequestedTool[] | undefined {
  if (fallbacks === "default") return [];
  if (!Array.isArray(fallbacks)) return undefined;
  const named = recordsWithPaths(fallbacks).flatMap(([path, { model }]) =>
    typeof model === "string" ? [{ path: `fallbacks${path}`, fallback: model }] : [],
  );
  return named.length === fallbacks.length ? named : undefined;
}

/** Returns true for versions of search and fetch that filter results by code. All code is then free. */
function runsCode(type: string): boolean {
  const version = /^web_(?:search|fetch)_(\d{8})$/.exec(type)?.[1];
  return version !== undefined && version >= "20260209";
}

/**
 * Returns true if a vendor may run a tool. Bedrock runs none. Tools that cost only tokens exist only at Anthropic; for
 * others, a price states that the vendor has the tool.
 */
export function isRunBy({ model, isAnthropic }: ToolRunner, { costsOnlyTokens }: RequestedTool): boolean {
  return !isOnBedrock(model) && (isAnthropic === true || costsOnlyTokens !== true);
}

interface ToolRunner {
  readonly model: string;
  readonly isAnthropic?: boolean | undefined;
}

export function vendorTool(
  path: string,
  { type = "custom", max_uses: max, model }: JsonRecord,
): readonly RequestedTool[] {
  if (typeof type !== "string") return [{ path }];
  if (freeTools.test(type)) return [];
  const maxCalls = typeof max === "number" && max >= 0 ? Math.trunc(max) : undefined;
  if (isAdvisor(type) && typeof model === "string")
    return [{ path, fallback: model, costsOnlyTokens: true, maxCalls: maxCalls ?? usualAdvisorCalls }];
  return [
    {
      path,
      unit: unitOfTool(type),
      costsOnlyTokens: tokenTools.test(type) ? true : undefined,
      maxCalls,
      freeUnit: runsCode(type) ? "codeInterpreters" : undefined,
    },
  ];
}

/** Calls of an advisor for which money is held if the client sets no limit. In each, it reads the whole request. */
const usualAdvisorCalls = 3;

function isAdvisor(type: string): boolean {
  return type.startsWith("advisor_");
}

/**
 * Limits the number of searches, fetches and advices, unless the client limits it. At the limit, the vendor answers
 * without them.
 */
export function capTools(body: Buffer, max: number): Buffer {
  const tools = memberOf(body, "tools");
  if (!Array.isArray(tools)) return body;
  const capped = tools.map((tool: unknown) => {
    if (!isRecord(tool) || typeof tool["max_uses"] === "number") return tool;
    const type = String(tool["type"]);
    if (isAdvisor(type)) return { ...tool, max_uses: Math.min(max, usualAdvisorCalls) };
    return /^web_(?:search|fetch)_/.test(type) ? { ...tool, max_uses: max } : tool;
  });
  return capped.every((tool, index) => tool === tools[index])
    ? body
    : spliceMembers(body, { tools: JSON.stringify(capped) });
}

/** Reads the charges in addition to the usage: tools, tier, fast mode and iterations. */
export function messagesFees(usage: unknown): ReportedExtraUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { speed, service_tier: serviceTier, inference_geo: geo } = usage;
  const counts = countedTools(usage);
  const region = regionOf(geo);
  const tier = speed === "fast" ? "fast" : normalizeTier(serviceTier);
  return reportedFees({
    counts,
    tier: region === undefined ? tier : tierInRegion(tier, region),
    ...messagesIterations(usage),
  });
}

export function callOfBlock(block: unknown): readonly ReportedCall[] {
  if (!isRecord(block) || block["type"] !== "server_tool_use") return [];
  const { id, name } = block;
  const unit = typeof name === "string" ? unitOfTool(name.replace(/^(?:bash|text_editor)_code/, "code")) : undefined;
  if (unit === undefined) return [];
  return [{ unit, id: unit === "codeInterpreters" ? "session" : String(id) }];
}

/** Maximum iterations that are billed in addition to the usage. */
const maxIterations = 32;

/**
 * Reads tokens that the usage leaves out: those of compactions, of advisors, and of models that declined after some
 * output. A model that declined before any output is not charged.
 */
function messagesIterations(usage: JsonRecord): Pick<ReportedExtraUsage, "answeredBy" | "iterations"> {
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return {};
  const entries = asRecords(iterations);
  const answeredBy = modelOf(entries.findLast(({ type }) => type === "fallback_message"));
  const declined = entries.filter((entry) => isDeclined(entry, answeredBy));
  const others = [
    ...entries.filter(({ type }) => type === "compaction" || type === "advisor_message"),
    ...(isInTotal(declined, entries, usage) ? [] : declined),
  ];
  return {
    answeredBy,
    iterations: others.slice(0, maxIterations).flatMap((entry): readonly ReportedIteration[] => {
      const units = unitsOfTokens(entry);
      return units === undefined ? [] : [{ model: modelOf(entry), units }];
    }),
  };
}

function modelOf(entry: JsonRecord | undefined): string | undefined {
  const model = entry?.["model"];
  return typeof model === "string" ? model : undefined;
}

function isDeclined(entry: JsonRecord, answeredBy: string | undefined): boolean {
  const model = modelOf(entry);
  return (
    answeredBy !== undefined &&
    entry["type"] === "message" &&
    model !== undefined &&
    model !== answeredBy &&
    outputOf(entry) > 0
  );
}

function isInTotal(declined: readonly JsonRecord[], entries: readonly JsonRecord[], usage: JsonRecord): boolean {
  if (declined.length === 0) return false;
  const messages = entries.filter(({ type }) => type === "message" || type === "fallback_message");
  return outputOf(usage) >= messages.reduce((sum, entry) => sum + outputOf(entry), 0);
}

function outputOf(counts: JsonRecord): number {
  return parseCount(counts["output_tokens"]) ?? 0;
}
