import type { RankingCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { readUsage } from "./usage.ts";

/** The rerank wire that most vendors and all clients of POST /v1/rerank share, both directions. */
export const jinaCodec: RankingCodec = {
  wire: "jina-rerank",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  readUsage,
  spelling: {
    model: "model",
    query: "query",
    documents: "documents",
    top: "top_n",
    returnDocuments: "return_documents",
    rankFields: "rank_fields",
    maxChunksPerDocument: "max_chunks_per_doc",
    maxTokensPerDocument: "max_tokens_per_doc",
  },
};
