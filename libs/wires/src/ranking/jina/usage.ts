import type { Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { countOf } from "../../text/hub/counts.ts";
import { rankingUnits, readMeta } from "../hub/usage.ts";

/** Tokens of `usage`, or of `meta` where a vendor reports them there; search units of `meta`. */
export function readUsage(body: JsonRecord): Units | undefined {
  const { usage } = body;
  const tokens = isRecord(usage) ? (countOf(usage["total_tokens"]) ?? countOf(usage["prompt_tokens"])) : undefined;
  const { searchUnits, inputTokens } = readMeta(body);
  return rankingUnits(tokens ?? inputTokens, searchUnits);
}

export function renderUsage(usage: Units | undefined): JsonRecord | undefined {
  if (usage?.inputTokens === undefined) return undefined;
  return { prompt_tokens: usage.inputTokens, completion_tokens: 0, total_tokens: usage.inputTokens };
}

export function renderMeta(usage: Units | undefined): JsonRecord | undefined {
  return usage?.requests === undefined ? undefined : { billed_units: { search_units: usage.requests } };
}
