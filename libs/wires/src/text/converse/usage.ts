import type { Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { countOf, unitsOf } from "../hub/counts.ts";

/**
 * `usage` as disjoint units; undefined where it reports no tokens. `inputTokens` leaves out what was read from or written
 * to a cache, as units do; `cacheDetails` says how much of what was written is kept for an hour.
 */
export function converseUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const inputTokens = countOf(usage["inputTokens"]);
  const outputTokens = countOf(usage["outputTokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const written = countOf(usage["cacheWriteInputTokens"]) ?? 0;
  const long = Math.min(written, writtenForAnHour(usage));
  return unitsOf({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cachedInputTokens: countOf(usage["cacheReadInputTokens"]) ?? 0,
    cacheWriteTokens: written - long,
    cacheWrite1hTokens: long,
  });
}

function writtenForAnHour({ cacheDetails: details }: JsonRecord): number {
  const writes = Array.isArray(details) ? details.filter(isRecord) : [];
  return writes.reduce((sum, { ttl, inputTokens }) => sum + (ttl === "1h" ? (countOf(inputTokens) ?? 0) : 0), 0);
}
