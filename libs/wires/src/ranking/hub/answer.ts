import { Failure, present, type Units } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import type { WholeContext } from "../../kind/index.ts";
import { countOf } from "../../text/hub/counts.ts";
import { maxDocuments, type RankingRequest } from "./request.ts";

export interface RankedResult {
  /** Index of the document in the request. */
  readonly index: number;
  readonly score: number;
  /** Absent where the vendor gave none. */
  readonly document?: JsonRecord | undefined;
}

/** Results, the most relevant first. */
export interface RankingAnswer {
  /** "" where the vendor gave none. */
  readonly id: string;
  /** The vendor's name of the model; "" where it gives none. */
  readonly model: string;
  readonly results: readonly RankedResult[];
  /** Tokens, and search units as `requests`. Absent where the vendor reported none. */
  readonly usage?: Units | undefined;
}

/** Parses a vendor's list of results and sorts it, the most relevant first; documents may be texts or objects. */
export function parseResults(fields: Fields, name: string): readonly RankedResult[] {
  fields.need(name);
  const results = fields.each(name, maxDocuments).map((item): RankedResult => {
    item.need("index");
    item.need("relevance_score");
    const [index, score] = [item.count("index") ?? 0, item.number("relevance_score") ?? 0];
    const document = parseDocument(item);
    return document === undefined ? { index, score } : { index, score, document };
  });
  return results.toSorted((left, right) => right.score - left.score);
}

function parseDocument(item: Fields): JsonRecord | undefined {
  const document = item.raw("document");
  return typeof document === "string" ? { text: document } : item.record("document");
}

/**
 * Renders as many results as the client wants, with documents if it wants them, filled in from its request where the
 * vendor gave none. Throws Failure upstream_error for a result without a document of the request.
 */
export function renderResults(answer: RankingAnswer, { request }: WholeContext<RankingRequest>): readonly JsonRecord[] {
  return answer.results.slice(0, request.top).map(({ index, score, document }) => {
    const own = request.documents[index];
    if (own === undefined)
      throw new Failure("upstream_error", `The vendor ranked a document ${index} that is not in the request.`);
    const result = { index, relevance_score: score };
    if (!request.returnDocuments) return result;
    return { ...result, document: document ?? (typeof own === "string" ? { text: own } : own) };
  });
}

/** Returns units of tokens and search units (as `requests`) if reported; undefined without either. */
export function rankingUnits(inputTokens: number | undefined, searchUnits: number | undefined): Units | undefined {
  if (inputTokens === undefined && searchUnits === undefined) return undefined;
  return present({ inputTokens, requests: searchUnits });
}

/** Reads search units and tokens in an answer's `meta`. */
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
