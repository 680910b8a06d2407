import { bodies, withoutUndefined, type Units } from "@modelgate/contracts";
import { Fields, memberOf, type JsonRecord, ownEntry } from "@modelgate/formats/json";
import { schemaReader, renderAdditionalMembers } from "../../kind/index.ts";
import type { UnstreamedContext, UnstreamedWire } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import type { AnswerHeaders, Parsed, Rendered, Target } from "../../wire.ts";
import {
  commonTask,
  optionalFieldsOf,
  parseTexts,
  plainTexts,
  type VectorsRequest,
  type VectorTask,
} from "../hub/request.ts";
import { base64Of, floatsOf, vectorsFor, vectorsIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";

const maxTexts = 96;
/** Header of an answer on Amazon Bedrock with the number of input tokens. */
const tokenCountHeader = "x-amzn-bedrock-input-token-count";

const tasks: Readonly<Record<string, VectorTask>> = {
  search_query: "query",
  search_document: "document",
  classification: "classification",
  clustering: "clustering",
};

/** Value of `input_type`, which vendors require, for requests without a known task. */
const defaultInputType = "search_document";

/** Cohere's embeddings (POST /v2/embed), which Amazon Bedrock has too. */
export const cohere = {
  name: "cohere-embeddings",
  vendor: {
    render: renderRequest,
    parse: ({ embeddings }) => ({
      vectors: vectorsIn(Array.isArray(embeddings) ? embeddings : memberOf(embeddings, "float")),
    }),
    usage: readUsage,
    maxInputs: () => maxTexts,
  },
  client: {
    ...schemaReader(bodies.CohereEmbedRequest, parseRequest),
    render: renderAnswer,
    spelling: { inputs: "texts", dimensions: "output_dimension", encoding: "embedding_types", task: "input_type" },
  },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function parseRequest(body: JsonRecord): Parsed<VectorsRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  for (const name of ["images", "inputs"]) if (fields.raw(name) !== undefined) throw fields.unsupported(name);
  const texts = parseTexts(fields, "texts");
  const task = ownEntry(tasks, fields.text("input_type") ?? "");
  const [type = "float", ...more] = fields.texts("embedding_types") ?? [];
  if ((type !== "float" && type !== "base64") || more.length > 0) throw fields.unsupported("embedding_types");
  const request: VectorsRequest = {
    model,
    inputs: texts.map((text) => withoutUndefined({ content: { kind: "text" as const, text }, task })),
    encoding: type,
    ...withoutUndefined({ dimensions: fields.count("output_dimension", 1) }),
  };
  return { request, dropped: fields.unread() };
}

function renderRequest(request: VectorsRequest, { model }: Target): Rendered {
  const task = commonTask(request);
  const inputType = Object.keys(tasks).find((name) => tasks[name] === task);
  const optionalFields = optionalFieldsOf(request);
  const unsupported = inputType === undefined ? optionalFields : { ...optionalFields, task: undefined };
  const body = withoutUndefined({
    model,
    texts: plainTexts(request),
    input_type: inputType ?? defaultInputType,
    embedding_types: ["float"],
    output_dimension: request.dimensions,
  });
  return { body, dropped: renderAdditionalMembers(request.additional, "cohere-embeddings", unsupported).dropped };
}

function readUsage({ meta }: JsonRecord, headers: AnswerHeaders): Units | undefined {
  const inHeader = Number(headers[tokenCountHeader] ?? Number.NaN);
  const inputTokens =
    parseCount(memberOf(memberOf(meta, "billed_units"), "input_tokens")) ??
    (Number.isSafeInteger(inHeader) && inHeader >= 0 ? inHeader : undefined);
  return inputTokens === undefined ? undefined : { inputTokens };
}

function renderAnswer(answer: VectorsAnswer, context: UnstreamedContext<VectorsRequest>): JsonRecord {
  const vectors = vectorsFor(context, answer);
  const isBase64 = context.request.encoding === "base64";
  const inputTokens = answer.usage?.inputTokens ?? context.inputTokens;
  return {
    id: context.answerId,
    embeddings: isBase64 ? { base64: vectors.map(base64Of) } : { float: vectors.map(floatsOf) },
    texts: context.request.inputs.map(({ content }) => (content.kind === "text" ? content.text : "")),
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: inputTokens } },
    response_type: "embeddings_by_type",
  };
}
