import { bodies, present } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import { own } from "../../json/own.ts";

import type { Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfVectors } from "../hub/ask.ts";
import { vectorsFor, type ClientVectorsCodec } from "../hub/codec.ts";
import { mostInputs, type VectorsRequest, type VectorTask } from "../hub/request.ts";
import { base64Of, floatsOf } from "../hub/vector.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfCohereEmbed = Object.keys(bodies.CohereEmbedRequest.properties);

const shape = Compile(bodies.CohereEmbedRequest);
/** What the vectors are for, in this wire's words. */
const tasks: Readonly<Record<string, VectorTask>> = {
  search_query: "query",
  search_document: "document",
  classification: "classification",
  clustering: "clustering",
};

/** Checks a request for embeddings of Cohere's second version. Throws Failure (400) naming the field. */
export function askOfCohereEmbed(body: unknown): Ask<VectorsRequest> {
  return askOfVectors(readChecked(body, shape, parseRequest));
}

/** What a client of POST /v2/embed asks and gets: its vectors by type, of which numbers and Base64 can be had. */
export const cohereEmbedCodec: ClientVectorsCodec = {
  wire: "cohere-embed",
  renderAnswer: (answer, context) => {
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
  },
  spelling: {
    model: "model",
    inputs: "texts",
    dimensions: "output_dimension",
    encoding: "embedding_types",
    task: "input_type",
  },
};

function parseRequest(body: JsonRecord): ParsedRequest<VectorsRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  for (const name of ["images", "inputs"]) if (fields.raw(name) !== undefined) throw fields.unsupported(name);
  const texts = fields.texts("texts") ?? [];
  if (texts.length === 0 || texts.length > mostInputs) throw fields.wrong("texts", `1 to ${mostInputs} texts`);
  const task = own(tasks, fields.text("input_type") ?? "");
  const [type = "float", ...more] = fields.texts("embedding_types") ?? [];
  if ((type !== "float" && type !== "base64") || more.length > 0) throw fields.unsupported("embedding_types");
  const request: VectorsRequest = {
    model,
    inputs: texts.map((text) => present({ content: { kind: "text" as const, text }, task })),
    encoding: type,
    ...present({ dimensions: fields.count("output_dimension", 1) }),
  };
  return { request, dropped: fields.unread() };
}
