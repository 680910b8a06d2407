import { present, type Units } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor, type WholeContext, type WholeWire } from "../../kind/index.ts";
import { ownMembers, renderOwn } from "../../kind/own-members.ts";
import { Unsupported } from "../../text/hub/field-support.ts";
import type { Parsed, Rendered, Target } from "../../wire.ts";
import { parseResults, rankingUnits, readMeta, renderResults, type RankingAnswer } from "../hub/answer.ts";
import {
  documentText,
  parseDocuments,
  parseQuery,
  parseTop,
  readRanking,
  relied,
  type RankingRequest,
} from "../hub/request.ts";

/** The second version of Cohere's rerank wire (POST /v2/rerank). */
export const cohere = {
  name: "cohere-rerank",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage },
  client: {
    read: (body) => readRanking(body, parseRequest),
    render: renderAnswer,
    relied,
    spelling: {
      model: "model",
      query: "query",
      documents: "documents",
      top: "top_n",
      maxTokensPerDocument: "max_tokens_per_doc",
    },
  },
} as const satisfies WholeWire<RankingRequest, RankingAnswer>;

/** Parses a request; unknown members go to vendors of this wire. */
function parseRequest(body: JsonRecord): Parsed<RankingRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const query = parseQuery(fields);
  const documents = parseDocuments(fields);
  const request: RankingRequest = {
    model,
    query,
    documents,
    // A member of the wire's first version, which clients still send.
    returnDocuments: fields.flag("return_documents") ?? false,
    ...present({
      top: parseTop(fields, "top_n", documents),
      maxTokensPerDocument: fields.count("max_tokens_per_doc", 1),
      own: ownMembers("cohere-rerank", fields),
    }),
  };
  return { request, dropped: [] };
}

/**
 * Renders a vendor's request. Its documents are texts only, so objects become lines; it returns none, the gateway fills
 * them in. It has no chunks, so a bound on them is dropped.
 */
function renderRequest(request: RankingRequest, { model }: Target): Rendered {
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

/** Parses a vendor's answer. It names no model. */
function parseAnswer(body: JsonRecord): RankingAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const results = parseResults(fields, "results");
    return present({ id: fields.text("id") ?? "", model: "", results, usage });
  });
}

/** Reads search units, and tokens if reported, in `meta`. */
function readUsage(body: JsonRecord): Units | undefined {
  const { searchUnits, inputTokens } = readMeta(body);
  return rankingUnits(inputTokens, searchUnits);
}

function renderAnswer(answer: RankingAnswer, context: WholeContext<RankingRequest>): JsonRecord {
  const { inputTokens, requests } = answer.usage ?? {};
  return {
    id: answer.id === "" ? context.answerId : answer.id,
    results: renderResults(answer, context),
    meta: present({
      api_version: { version: "2" },
      billed_units: requests === undefined ? undefined : { search_units: requests },
      tokens: inputTokens === undefined ? undefined : { input_tokens: inputTokens },
    }),
  };
}
