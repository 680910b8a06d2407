import type { RankingWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { OwnMembers } from "../../kind/own-members.ts";

/** Documents that one request may have: beyond it 400. */
export const mostDocuments = 10_000;

/** A text, or an object of which a text is made. */
export type RankedDocument = string | JsonRecord;

/** A request to order documents by relevance to a query, in the neutral form. Absent means that the client did not say. */
export interface RankingRequest {
  readonly model: string;
  readonly query: string;
  /** At least one, at most `mostDocuments`. */
  readonly documents: readonly RankedDocument[];
  /** How many results; never more than there are documents. */
  readonly top?: number | undefined;
  /** Whether each result holds its document. */
  readonly returnDocuments: boolean;
  /** Members of a document that is an object, of which its text is made. */
  readonly rankFields?: readonly string[] | undefined;
  readonly maxChunksPerDocument?: number | undefined;
  readonly maxTokensPerDocument?: number | undefined;
  readonly own?: OwnMembers<RankingWire> | undefined;
}
