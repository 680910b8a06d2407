import { type Units, present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { rankingUnits, readMeta } from "../hub/usage.ts";

/** Search units, and tokens if reported, of `meta`. */
export function readUsage(body: JsonRecord): Units | undefined {
  const { searchUnits, inputTokens } = readMeta(body);
  return rankingUnits(inputTokens, searchUnits);
}

export function renderMeta(usage: Units | undefined): JsonRecord {
  return present({
    api_version: { version: "2" },
    billed_units: usage?.requests === undefined ? undefined : { search_units: usage.requests },
    tokens: usage?.inputTokens === undefined ? undefined : { input_tokens: usage.inputTokens },
  });
}
