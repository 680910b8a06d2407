import { bodies, type RankingWire } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { bytesOfTexts, readChecked, type InputSize } from "../../kind/index.ts";
import type { OwnMembers } from "../../kind/own-members.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { Parsed } from "../../wire.ts";

/** Maximum of documents in one request: beyond it 400. */
export const maxDocuments = 10_000;

/** A text, or an object of which a text is made. */
export type RankedDocument = string | JsonRecord;

/** A request to order documents by relevance to a query, in the neutral form. Absent: not given by the client. */
export interface RankingRequest {
  readonly model: string;
  readonly query: string;
  /** At least one, at most `maxDocuments`. */
  readonly documents: readonly RankedDocument[];
  /** Maximum of results; never more than there are documents. */
  readonly top?: number | undefined;
  /** Tells whether each result holds its document. */
  readonly returnDocuments: boolean;
  /** Members of a document that is an object, of which its text is made. */
  readonly rankFields?: readonly string[] | undefined;
  readonly maxChunksPerDocument?: number | undefined;
  readonly maxTokensPerDocument?: number | undefined;
  readonly own?: OwnMembers<RankingWire> | undefined;
}

const shape = Compile(bodies.RerankRequest);

/** Members that decide what a call may do and cost, on both wires of clients. */
export const relied = Object.keys(bodies.RerankRequest.properties);

/** Parses and checks a body of either wire of clients. Throws Failure (400) naming the field. */
export function readRanking(
  body: unknown,
  parse: (body: JsonRecord) => Parsed<RankingRequest>,
): Parsed<RankingRequest> {
  return readChecked(body, shape, parse);
}

/** Parses `documents`: texts and objects, at least one. */
export function parseDocuments(fields: Fields): readonly RankedDocument[] {
  fields.need("documents");
  const documents = fields.list("documents") ?? [];
  if (documents.length === 0) throw fields.wrong("documents", "an array that is not empty");
  if (documents.length > maxDocuments) throw fields.wrong("documents", `at most ${maxDocuments} documents`);
  return documents.map((document, index) => {
    if (typeof document === "string" || isRecord(document)) return document;
    throw fields.wrong(`documents[${index}]`, "a string or an object");
  });
}

/** Parses the query, which must not be empty. */
export function parseQuery(fields: Fields): string {
  const query = fields.needText("query");
  if (query === "") throw fields.wrong("query", "a string that is not empty");
  return query;
}

/** Parses the number of results, cut to the number of documents. */
export function parseTop(fields: Fields, name: string, documents: readonly RankedDocument[]): number | undefined {
  const top = fields.count(name, 1);
  return top === undefined ? undefined : Math.min(top, documents.length);
}

/**
 * Renders a document as one text, for wires without objects: its `text`, or a line for each of its members (those named
 * by `rankFields`, if any), as in YAML. Throws Failure unsupported_parameter for a picture.
 */
export function documentText(document: RankedDocument, rankFields: readonly string[] | undefined): string {
  if (typeof document === "string") return document;
  if (rankFields === undefined && typeof document["text"] === "string") return document["text"];
  const names = rankFields ?? Object.keys(document);
  if (names.includes("image") && "image" in document)
    throw unsupportedFailure("documents", "The vendor of this model takes only text.");
  return names.flatMap((name) => line(name, document[name])).join("\n");
}

function line(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
}

/** Documents that vendors with a price per search rank for one search. */
const documentsPerSearch = 100;
/** Tokens beyond which such a vendor counts a part of a document as another one; a token is at least a byte. */
const tokensPerDocument = 500;

/** Counts the searches that a request is charged for if its vendor reports none: usually, and at most. */
export function searchesOf({ query, documents }: Pick<RankingRequest, "query" | "documents">): {
  readonly usual: number;
  readonly max: number;
} {
  const queryBytes = Buffer.byteLength(query);
  const parts = documents.map((each) =>
    Math.max(1, Math.ceil((queryBytes + Buffer.byteLength(textOf(each))) / tokensPerDocument)),
  );
  const max = parts.reduce((sum, part) => sum + part, 0);
  return { usual: Math.ceil(documents.length / documentsPerSearch), max: Math.ceil(max / documentsPerSearch) };
}

/** Measures a request. A model reads the query again with every document, and vendors count it so. */
export function sizeOf({ query, documents }: RankingRequest): InputSize {
  const textBytes = bytesOfTexts(documents.map(textOf)) + bytesOfTexts([query]) * documents.length;
  return { textBytes, mediaTokens: 0, maxOutputTokens: 0 };
}

function textOf(document: RankedDocument): string {
  return typeof document === "string" ? document : JSON.stringify(document);
}
