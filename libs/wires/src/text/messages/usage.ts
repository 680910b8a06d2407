import { outputTotal, type UnitName, type Units, withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { parseCount, withoutZeroUnits } from "../hub/counts.ts";

const countMembers = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
] as const satisfies readonly UnitName[];

/** Counts in one report; undefined for those that the report leaves out. */
type Counts = { readonly [Name in (typeof countMembers)[number]]?: number | undefined };

/**
 * Converts `usage` of a message to disjoint units; undefined if it has no tokens. As in units, `input_tokens` excludes
 * tokens that were read from or written to a cache. Output includes thinking. `before` are the counts that the stream
 * reported earlier, since its last report may leave out the input.
 */
export function messagesUsage(usage: unknown, before?: Units): Units | undefined {
  return isRecord(usage) ? unitsOfTokens(usage, before) : undefined;
}

/** Converts `usage` to charged units: none for a refusal before any content (release notes of 2026-06-02). */
export function chargedUsage(
  usage: unknown,
  { stopReason, hasContent }: { stopReason: unknown; hasContent: boolean },
  before?: Units,
): Units | undefined {
  const units = messagesUsage(usage, before);
  const isFree = stopReason === "refusal" && !hasContent && isRecord(usage) && parseCount(usage["output_tokens"]) === 0;
  return units !== undefined && isFree ? { inputTokens: 0, outputTokens: 0 } : units;
}

export function unitsOfTokens(usage: JsonRecord, before: Units = {}): Units | undefined {
  const counts = countsOf(usage);
  if (counts.inputTokens === undefined && counts.outputTokens === undefined) return undefined;
  const all: Units = { ...before };
  for (const name of countMembers) {
    const count = counts[name];
    if (count !== undefined) all[name] = count;
  }
  // A later report of the sum may leave out which part of it is cached for an hour.
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
  // Every prompt has tokens, so zeros mean that the vendor reports its input only in another event.
  const empty = Object.values(input).every((count) => (count ?? 0) === 0);
  return empty && output.outputTokens !== undefined ? output : { ...input, ...output };
}

/** Splits cache writes by lifetime: `cache_creation` states which part of the sum is cached for an hour. */
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

/** Renders units as `usage`; audio and image tokens are in the totals, since this wire has no members for them. */
export function renderUsage(units: Units): JsonRecord {
  const thinking = units.reasoningTokens ?? 0;
  const { cacheWriteTokens: short = 0, cacheWrite1hTokens: long = 0 } = units;
  return withoutUndefined({
    input_tokens: (units.inputTokens ?? 0) + (units.inputAudioTokens ?? 0) + (units.inputImageTokens ?? 0),
    cache_creation_input_tokens: short + long,
    cache_creation: long > 0 ? { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } : undefined,
    cache_read_input_tokens: units.cachedInputTokens ?? 0,
    output_tokens: outputTotal(units),
    output_tokens_details: thinking > 0 ? { thinking_tokens: thinking } : undefined,
  });
}

export function tierOf(value: unknown): string | undefined {
  return typeof value !== "string" ? undefined : value === "standard" ? "default" : value;
}

export function tierWord(tier: string | undefined): string | undefined {
  return tier === "default" ? "standard" : tier;
}
