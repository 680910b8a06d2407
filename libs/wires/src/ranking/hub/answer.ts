import { Failure, type Units } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import type { KindContext } from "../../kind/codec.ts";
import { documentObject } from "./document.ts";
import { mostDocuments, type RankingRequest } from "./request.ts";

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
  /** The vendor's name of the model; "" where it says none. */
  readonly model: string;
  readonly results: readonly RankedResult[];
  /** Tokens, and search units as `requests`. Absent where the vendor reported none. */
  readonly usage?: Units | undefined;
}

/** A vendor's list of results, the most relevant first; documents may be texts or objects. */
export function parseResults(fields: Fields, name: string): readonly RankedResult[] {
  fields.need(name);
  const results = fields.each(name, mostDocuments).map((item): RankedResult => {
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
 * The results as the client wants them: so many as it asked for, with documents if it asked for them, filled in from
 * its request where the vendor gave none. Throws Failure upstream_error for a result without a document of the request.
 */
export function renderResults(answer: RankingAnswer, { request }: KindContext<RankingRequest>): readonly JsonRecord[] {
  return answer.results.slice(0, request.top).map(({ index, score, document }) => {
    const asked = request.documents[index];
    if (asked === undefined)
      throw new Failure("upstream_error", `The vendor ranked a document ${index} that is not in the request.`);
    const result = { index, relevance_score: score };
    return request.returnDocuments ? { ...result, document: document ?? documentObject(asked) } : result;
  });
}
