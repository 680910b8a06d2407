import { bodies, withoutUndefined } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, renderAdditionalMembers } from "../../kind/index.ts";
import type { UnstreamedContext, UnstreamedWire } from "../../kind/index.ts";
import type { Rendered, Target } from "../../wire.ts";
import { parseResults, readUsage, renderResults, documentText, parseRanking } from "../hub/index.ts";
import type { RankingAnswer, RankingRequest } from "../hub/index.ts";

/** Cohere's rerank (POST /v2/rerank). */
export const cohere = {
  name: "cohere-rerank",
  vendor: { render: renderRequest, parse: (body) => parseResults(body, "results"), usage: (body) => readUsage(body) },
  client: {
    ...schemaReader(bodies.RerankRequest, (body) => parseRanking("cohere-rerank", new Fields(body), { top: "top_n" })),
    render: renderAnswer,
    spelling: { top: "top_n", maxTokensPerDocument: "max_tokens_per_doc" },
  },
} as const satisfies UnstreamedWire<RankingRequest, RankingAnswer>;

function renderRequest(request: RankingRequest, { model }: Target): Rendered {
  const { maxChunksPerDocument } = request;
  const { members, dropped } = renderAdditionalMembers(request.additional, "cohere-rerank", { maxChunksPerDocument });
  const body = withoutUndefined({
    ...members,
    model,
    query: request.query,
    documents: request.documents.map((document) => documentText(document, request.rankFields)),
    top_n: request.top,
    max_tokens_per_doc: request.maxTokensPerDocument,
  });
  return { body, dropped };
}

function renderAnswer(answer: RankingAnswer, context: UnstreamedContext<RankingRequest>): JsonRecord {
  const { inputTokens, requests } = answer.usage ?? {};
  return {
    id: answer.id === "" ? context.answerId : answer.id,
    results: renderResults(answer, context),
    meta: withoutUndefined({
      api_version: { version: "2" },
      billed_units: requests === undefined ? undefined : { search_units: requests },
      tokens: inputTokens === undefined ? undefined : { input_tokens: inputTokens },
    }),
  };
}
