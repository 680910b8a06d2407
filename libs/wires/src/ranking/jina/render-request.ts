import { present } from "@modelgate/contracts";
import type { RenderedRequest } from "../../kind/codec.ts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RankingRequest } from "../hub/request.ts";

/** The request for a vendor of this wire. Whether documents come back is always said, as its vendors differ in it. */
export function renderRequest(request: RankingRequest, { model }: { readonly model: string }): RenderedRequest {
  const own = renderOwn(request.own, "jina-rerank");
  const body = present({
    ...own.members,
    model,
    query: request.query,
    documents: request.documents,
    top_n: request.top,
    return_documents: request.returnDocuments,
    rank_fields: request.rankFields,
    max_chunks_per_doc: request.maxChunksPerDocument,
    max_tokens_per_doc: request.maxTokensPerDocument,
  });
  return { body, dropped: own.dropped };
}
