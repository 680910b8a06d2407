import { bytesOfTexts, type Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import type { RankingRequest } from "./request.ts";

/**
 * What admission must know of a request to rank. A model reads the query anew with every document, and vendors count
 * it so.
 */
export function askOfRanking({ request, dropped }: ParsedRequest<RankingRequest>): Ask<RankingRequest> {
  const { model, query, documents } = request;
  const texts = documents.map((document) => (typeof document === "string" ? document : JSON.stringify(document)));
  return {
    model,
    textBytes: bytesOfTexts(texts) + bytesOfTexts([query]) * documents.length,
    media: { characters: 0, tokens: 0 },
    maxOutputTokens: 0,
    request,
    dropped,
  };
}
