import { present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { ownMembers } from "../../kind/own-members.ts";
import { parseDocuments, parseQuery, parseTop } from "../hub/parse-documents.ts";
import type { RankingRequest } from "../hub/request.ts";

/** A request in the neutral form; unknown members travel on to vendors of this wire. */
export function parseRequest(body: JsonRecord): ParsedRequest<RankingRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const query = parseQuery(fields);
  const documents = parseDocuments(fields);
  const request: RankingRequest = {
    model,
    query,
    documents,
    // The wire's first version knew it, and clients still send it.
    returnDocuments: fields.flag("return_documents") ?? false,
    ...present({
      top: parseTop(fields, "top_n", documents),
      maxTokensPerDocument: fields.count("max_tokens_per_doc", 1),
      own: ownMembers("cohere-rerank", fields),
    }),
  };
  return { request, dropped: [] };
}
