import { type Units, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { countOf } from "../../text/hub/counts.ts";

/** Units of tokens and search units (as `requests`) if reported; undefined without either. */
export function rankingUnits(inputTokens: number | undefined, searchUnits: number | undefined): Units | undefined {
  if (inputTokens === undefined && searchUnits === undefined) return undefined;
  return present({
    inputTokens,
    requests: searchUnits,
  });
}

/** Search units and tokens of an answer's `meta`. */
export function readMeta({ meta }: JsonRecord): {
  readonly searchUnits: number | undefined;
  readonly inputTokens: number | undefined;
} {
  const within = (name: string, count: string): number | undefined => {
    const found = isRecord(meta) ? meta[name] : undefined;
    return isRecord(found) ? countOf(found[count]) : undefined;
  };
  return { searchUnits: within("billed_units", "search_units"), inputTokens: within("tokens", "input_tokens") };
}
