import type { RankingCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { readUsage } from "./usage.ts";

/** The second version of Cohere's rerank wire (POST /v2/rerank), both directions. */
export const cohereCodec: RankingCodec = {
  wire: "cohere-rerank",
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
    maxTokensPerDocument: "max_tokens_per_doc",
  },
};
