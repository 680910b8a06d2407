import { outputTotal, type UnitName, type Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { present } from "../../json/present.ts";
import { countOf, unitsOf } from "../hub/counts.ts";
import type { JsonObject } from "../hub/request.ts";

/** The units that this wire counts. */
const counted = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
] as const satisfies readonly UnitName[];

/** The counts of one report, undefined where it does not tell them. */
type Told = { readonly [Name in (typeof counted)[number]]?: number | undefined };

/**
 * `usage` of a message as disjoint units; undefined where it tells no tokens. `input_tokens` leaves out what was read
 * from or written to a cache, as units do, and thinking is in the output. `before` is what the same stream reported
 * earlier: the end of a stream need not repeat the input.
 */
export function messagesUsage(usage: unknown, before: Units = {}): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const told = toldBy(usage);
  if (told.inputTokens === undefined && told.outputTokens === undefined) return undefined;
  const all: Units = { ...before };
  for (const name of counted) {
    const count = told[name];
    if (count !== undefined) all[name] = count;
  }
  return unitsOf(all);
}

function toldBy(usage: JsonRecord): Told {
  const details = usage["output_tokens_details"];
  const output = {
    outputTokens: countOf(usage["output_tokens"]),
    reasoningTokens: isRecord(details) ? countOf(details["thinking_tokens"]) : undefined,
  };
  const input = {
    inputTokens: countOf(usage["input_tokens"]),
    cachedInputTokens: countOf(usage["cache_read_input_tokens"]),
    cacheWriteTokens: countOf(usage["cache_creation_input_tokens"]) ?? cacheWrites(usage["cache_creation"]),
  };
  // No prompt is empty: zeros are from a vendor that knows its input in another event only.
  const empty = Object.values(input).every((count) => (count ?? 0) === 0);
  return empty && output.outputTokens !== undefined ? output : { ...input, ...output };
}

/** Writes by lifetime, for vendors that give no sum. */
function cacheWrites(creation: unknown): number | undefined {
  if (!isRecord(creation)) return undefined;
  return (countOf(creation["ephemeral_5m_input_tokens"]) ?? 0) + (countOf(creation["ephemeral_1h_input_tokens"]) ?? 0);
}

/** Units as `usage`; audio and image tokens are in the totals, as this wire has no place of their own for them. */
export function renderUsage(units: Units): JsonObject {
  const thinking = units.reasoningTokens ?? 0;
  return present({
    input_tokens: (units.inputTokens ?? 0) + (units.inputAudioTokens ?? 0) + (units.inputImageTokens ?? 0),
    cache_creation_input_tokens: units.cacheWriteTokens ?? 0,
    cache_read_input_tokens: units.cachedInputTokens ?? 0,
    output_tokens: outputTotal(units),
    output_tokens_details: thinking > 0 ? { thinking_tokens: thinking } : undefined,
  });
}

/** Tiers by this wire's word for them in answers, in the words of the neutral form. */
export function tierOf(word: unknown): string | undefined {
  return typeof word !== "string" ? undefined : word === "standard" ? "default" : word;
}

export function tierWord(tier: string | undefined): string | undefined {
  return tier === "default" ? "standard" : tier;
}
