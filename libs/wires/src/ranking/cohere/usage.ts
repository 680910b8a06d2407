import type { Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { rankingUnits, readMeta } from "../hub/usage.ts";

/** Search units, and tokens if reported, of `meta`. */
export function readUsage(body: JsonRecord): Units | undefined {
  const { searchUnits, inputTokens } = readMeta(body);
  return rankingUnits(inputTokens, searchUnits);
}

export function renderMeta(usage: Units | undefined): JsonRecord {
  return {
    api_version: { version: "2" },
    ...(usage?.requests === undefined ? {} : { billed_units: { search_units: usage.requests } }),
    ...(usage?.inputTokens === undefined ? {} : { tokens: { input_tokens: usage.inputTokens } }),
  };
}
