import { bodies, withoutUndefined, type Units } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, renderAdditionalMembers } from "../../kind/index.ts";
import type { UnstreamedContext, UnstreamedWire } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import type { Parsed, Rendered, Target } from "../../wire.ts";
import { parseResults, readUsage as readMeta, renderResults, parseRanking } from "../hub/index.ts";
import type { RankedDocument, RankingAnswer, RankingRequest } from "../hub/index.ts";

/** Jina's rerank, which most vendors use, and all clients of POST /v1/rerank. */
export const jina = {
  name: "jina-rerank",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage },
  client: {
    ...schemaReader(bodies.RerankRequest, parseRequest),
    render: renderAnswer,
    spelling: {
      top: "top_n",
      returnDocuments: "return_documents",
      rankFields: "rank_fields",
      maxChunksPerDocument: "max_chunks_per_doc",
      maxTokensPerDocument: "max_tokens_per_doc",
    },
  },
} as const satisfies UnstreamedWire<RankingRequest, RankingAnswer>;

function parseRequest(body: JsonRecord): Parsed<RankingRequest> {
  const fields = new Fields(body);
  return parseRanking("jina-rerank", fields, {
    top: chooseName(fields, "top_n", "top_k"),
    maxChunks: chooseName(fields, "max_chunks_per_doc", "max_chunk_per_doc"),
    rankFields: "rank_fields",
  });
}

function chooseName(fields: Fields, first: string, second: string): string {
  const name = fields.has(first) ? first : second;
  fields.ignore(first, second);
  return name;
}

function renderRequest(request: RankingRequest, { model }: Target): Rendered {
  const additional = renderAdditionalMembers(request.additional, "jina-rerank");
  const body = withoutUndefined({
    ...additional.members,
    model,
    query: request.query,
    documents: request.documents.map((each) => renderDocument(each, request.rankFields)),
    top_n: request.top,
    // Always sent, because vendors' defaults differ.
    return_documents: request.returnDocuments,
    rank_fields: request.rankFields,
    max_chunks_per_doc: request.maxChunksPerDocument,
    max_tokens_per_doc: request.maxTokensPerDocument,
  });
  return { body, dropped: additional.dropped };
}

/** Renders a document with nothing but a text as a string. Many vendors accept only strings. */
function renderDocument(document: RankedDocument, rankFields: readonly string[] | undefined): RankedDocument {
  if (typeof document === "string" || rankFields !== undefined) return document;
  const { text, ...others } = document;
  return typeof text === "string" && Object.keys(others).length === 0 ? text : document;
}

function parseAnswer(body: JsonRecord): RankingAnswer {
  return parseResults(body, (body["results"] ?? undefined) === undefined ? "data" : "results");
}

/** Reads the usage of an answer. Some vendors report tokens in `meta`. */
function readUsage(body: JsonRecord): Units | undefined {
  const { usage } = body;
  return readMeta(
    body,
    isRecord(usage) ? (parseCount(usage["total_tokens"]) ?? parseCount(usage["prompt_tokens"])) : undefined,
  );
}

function renderAnswer(answer: RankingAnswer, context: UnstreamedContext<RankingRequest>): JsonRecord {
  const { inputTokens, requests } = answer.usage ?? {};
  return withoutUndefined({
    id: answer.id === "" ? context.answerId : answer.id,
    model: context.model,
    object: "list",
    results: renderResults(answer, context),
    usage:
      inputTokens === undefined
        ? undefined
        : { prompt_tokens: inputTokens, completion_tokens: 0, total_tokens: inputTokens },
    meta: requests === undefined ? undefined : { billed_units: { search_units: requests } },
  });
}
