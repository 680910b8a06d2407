import { bytesOfTexts, type Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import type { RankingRequest } from "./request.ts";

/** Documents that vendors with a price per search rank for one. */
const documentsPerSearch = 100;
/** Tokens beyond which such a vendor counts a part of a document as another one; a token is a byte at least. */
const tokensPerDocument = 500;

/** Searches that a request is charged for if its vendor does not report them: usually, and at most. */
export function searchesOf({ query, documents }: Pick<RankingRequest, "query" | "documents">): {
  readonly usual: number;
  readonly most: number;
} {
  const asked = Buffer.byteLength(query);
  const parts = documents.map((each) =>
    Math.max(1, Math.ceil((asked + Buffer.byteLength(textOf(each))) / tokensPerDocument)),
  );
  const most = parts.reduce((sum, part) => sum + part, 0);
  return { usual: Math.ceil(documents.length / documentsPerSearch), most: Math.ceil(most / documentsPerSearch) };
}

function textOf(document: RankingRequest["documents"][number]): string {
  return typeof document === "string" ? document : JSON.stringify(document);
}

/**
 * What admission must know of a request to rank. A model reads the query anew with every document, and vendors count
 * it so.
 */
export function askOfRanking({ request, dropped }: ParsedRequest<RankingRequest>): Ask<RankingRequest> {
  const { model, query, documents } = request;
  const texts = documents.map(textOf);
  return {
    model,
    textBytes: bytesOfTexts(texts) + bytesOfTexts([query]) * documents.length,
    media: { characters: 0, tokens: 0 },
    maxOutputTokens: 0,
    request,
    dropped,
  };
}
