import { present } from "@modelgate/contracts";
import type { RenderedRequest } from "../../kind/codec.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { Unsupported } from "../../text/hub/unsupported.ts";
import { documentText } from "../hub/document.ts";
import type { RankingRequest } from "../hub/request.ts";

/**
 * The request for a vendor of this wire. Its documents are texts only, so objects become lines; it returns none, the
 * gateway fills them in. It has no chunks, so a bound on them is dropped.
 */
export function renderRequest(request: RankingRequest, { model }: { readonly model: string }): RenderedRequest {
  const own = renderOwn(request.own, "cohere-rerank");
  const unsupported = new Unsupported();
  for (const name of own.dropped) unsupported.note(name);
  unsupported.noteIf("maxChunksPerDocument", request.maxChunksPerDocument);
  const body = present({
    ...own.members,
    model,
    query: request.query,
    documents: request.documents.map((document) => documentText(document, request.rankFields)),
    top_n: request.top,
    max_tokens_per_doc: request.maxTokensPerDocument,
  });
  return { body, dropped: unsupported.words };
}
