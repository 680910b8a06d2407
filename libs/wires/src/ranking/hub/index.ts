import { withoutUndefined, type RankingWire, Failure, type Units } from "@modelgate/contracts";
import { isRecord, memberOf, type Fields, type JsonRecord } from "@modelgate/formats/json";
import { countTextBytes, readVendor, additionalMembers } from "../../kind/index.ts";
import type { InputSize, UnstreamedContext, AdditionalMembers } from "../../kind/index.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Parsed, WithUsage } from "../../wire.ts";
import { parseCount } from "../../text/hub/counts.ts";

export const maxDocuments = 10_000;

/** Text, or an object that is converted to text. */
export type RankedDocument = string | JsonRecord;

/** A rerank request in the neutral form. */
export interface RankingRequest {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly RankedDocument[];
  readonly top?: number | undefined;
  readonly returnDocuments: boolean;
  /** Members of a document's object that form its text. */
  readonly rankFields?: readonly string[] | undefined;
  readonly maxChunksPerDocument?: number | undefined;
  readonly maxTokensPerDocument?: number | undefined;
  readonly additional?: AdditionalMembers<RankingWire> | undefined;
}

/** Names of the members that the two client wires spell differently. */
interface MemberNames {
  readonly top: string;
  readonly maxChunks?: string;
  readonly rankFields?: string;
}

/** Parses a client's request. */
export function parseRanking(wire: RankingWire, fields: Fields, names: MemberNames): Parsed<RankingRequest> {
  const model = fields.needText("model");
  const query = fields.needText("query");
  if (query === "") throw fields.wrong("query", "a non-empty string");
  const documents = parseDocuments(fields);
  const top = fields.count(names.top, 1);
  const request: RankingRequest = {
    model,
    query,
    documents,
    returnDocuments: fields.flag("return_documents") ?? false,
    ...withoutUndefined({
      top: top === undefined ? undefined : Math.min(top, documents.length),
      rankFields: names.rankFields === undefined ? undefined : fields.texts(names.rankFields),
      maxChunksPerDocument: names.maxChunks === undefined ? undefined : fields.count(names.maxChunks, 1),
      maxTokensPerDocument: fields.count("max_tokens_per_doc", 1),
      additional: additionalMembers(wire, fields),
    }),
  };
  return { request, dropped: [] };
}

function parseDocuments(fields: Fields): readonly RankedDocument[] {
  fields.need("documents");
  const documents = fields.list("documents") ?? [];
  if (documents.length === 0) throw fields.wrong("documents", "a non-empty array");
  if (documents.length > maxDocuments) throw fields.wrong("documents", `at most ${maxDocuments} documents`);
  return documents.map((document, index) => {
    if (typeof document === "string" || isRecord(document)) return document;
    throw fields.wrong(`documents[${index}]`, "a string or an object");
  });
}

/** Renders a document as text: its `text`, or one line per member. */
export function documentText(document: RankedDocument, rankFields: readonly string[] | undefined): string {
  if (typeof document === "string") return document;
  if (rankFields === undefined && typeof document["text"] === "string") return document["text"];
  const names = rankFields ?? Object.keys(document);
  if (names.includes("image") && "image" in document)
    throw unsupportedFailure("documents", "The vendor of this model accepts only text.");
  return names.flatMap((name) => fieldLine(name, document[name])).join("\n");
}

function fieldLine(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
}

/** Maximum number of documents in one search, at vendors that charge per search. */
const documentsPerSearch = 100;
/**
 * Tokens per document, at vendors that charge per search. A longer document is charged as several. A token has at least
 * one byte.
 */
const tokensPerDocument = 500;

/** Returns the number of searches to charge if the vendor reports none: the usual number and the maximum. */
export function countSearches({ query, documents }: Pick<RankingRequest, "query" | "documents">): {
  readonly usual: number;
  readonly max: number;
} {
  const queryBytes = Buffer.byteLength(query);
  const parts = documents.map((each) =>
    Math.max(1, Math.ceil((queryBytes + Buffer.byteLength(documentAsText(each))) / tokensPerDocument)),
  );
  const max = parts.reduce((sum, part) => sum + part, 0);
  return { usual: Math.ceil(documents.length / documentsPerSearch), max: Math.ceil(max / documentsPerSearch) };
}

/** Measures a request. The query is measured once for each document, because models read it with each of them. */
export function measureInput({ query, documents }: RankingRequest): InputSize {
  const textBytes = countTextBytes(documents.map(documentAsText)) + countTextBytes([query]) * documents.length;
  return { textBytes, mediaTokens: 0, maxOutputTokens: 0 };
}

function documentAsText(document: RankedDocument): string {
  return typeof document === "string" ? document : JSON.stringify(document);
}

export interface RankedResult {
  readonly index: number;
  readonly score: number;
  readonly document?: JsonRecord | undefined;
}

export interface RankingAnswer extends WithUsage {
  /** "" if the vendor sent none. */
  readonly id: string;
  readonly results: readonly RankedResult[];
}

/** Parses a vendor's answer and sorts its results. */
export function parseResults(body: JsonRecord, name: string): RankingAnswer {
  return readVendor(body, (fields) => {
    fields.need(name);
    const results = fields.each(name, maxDocuments).map((item): RankedResult => {
      item.need("index");
      // SGLang's name is `score`.
      const scoreName = item.has("score") ? "score" : "relevance_score";
      item.need(scoreName);
      const [index, score] = [item.count("index") ?? 0, item.number(scoreName) ?? 0];
      return withoutUndefined({ index, score, document: parseDocument(item) });
    });
    const sorted = results.toSorted((left, right) => right.score - left.score);
    return { id: fields.text("id") ?? "", results: sorted };
  });
}

function parseDocument(item: Fields): JsonRecord | undefined {
  const document = item.raw("document");
  return typeof document === "string" ? { text: document } : item.record("document");
}

/** Renders as many results as the client requested, with the documents of the request if it asked for them. */
export function renderResults(
  answer: RankingAnswer,
  { request }: UnstreamedContext<RankingRequest>,
): readonly JsonRecord[] {
  return answer.results.slice(0, request.top).map(({ index, score, document }) => {
    const requestDocument = request.documents[index];
    if (requestDocument === undefined)
      throw new Failure("upstream_error", `The vendor ranked a document ${index} that is not in the request.`);
    const result = { index, relevance_score: score };
    if (!request.returnDocuments) return result;
    return {
      ...result,
      document: document ?? (typeof requestDocument === "string" ? { text: requestDocument } : requestDocument),
    };
  });
}

/** Reads search units and tokens in an answer's `meta`. */
export function readUsage({ meta }: JsonRecord, tokens?: number): Units | undefined {
  const inputTokens = tokens ?? parseCount(memberOf(memberOf(meta, "tokens"), "input_tokens"));
  const requests = parseCount(memberOf(memberOf(meta, "billed_units"), "search_units"));
  return inputTokens === undefined && requests === undefined ? undefined : withoutUndefined({ inputTokens, requests });
}
