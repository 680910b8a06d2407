import { present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { ownMembers } from "../../kind/own-members.ts";
import { parseDocuments, parseQuery, parseTop } from "../hub/parse-documents.ts";
import type { RankingRequest } from "../hub/request.ts";

/**
 * A request in the neutral form. Documents are returned only where asked for: vendors differ in what they do unasked.
 * Unknown members travel on to vendors of this wire.
 */
export function parseRequest(body: JsonRecord): ParsedRequest<RankingRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const query = parseQuery(fields);
  const documents = parseDocuments(fields);
  const request: RankingRequest = {
    model,
    query,
    documents,
    returnDocuments: fields.flag("return_documents") ?? false,
    ...present({
      top: parseTop(fields, either(fields, "top_n", "top_k"), documents),
      rankFields: fields.texts("rank_fields"),
      maxChunksPerDocument: fields.count(either(fields, "max_chunks_per_doc", "max_chunk_per_doc"), 1),
      maxTokensPerDocument: fields.count("max_tokens_per_doc", 1),
      own: ownMembers("jina-rerank", fields),
    }),
  };
  return { request, dropped: [] };
}

/** The name that is there, of two for the same thing; the first where both are, and the other is then read as well. */
function either(fields: Fields, first: string, second: string): string {
  const name = fields.has(first) ? first : second;
  fields.ignore(first, second);
  return name;
}
