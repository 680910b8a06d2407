import { bodies, Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import { invalidFailure, Fields, isRecord, type JsonRecord, ownEntry } from "@modelgate/formats/json";
import { schemaReader, readVendor, additionalMembers, renderAdditionalMembers } from "../../kind/index.ts";
import type { UnstreamedContext, UnstreamedWire } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import {
  optionalFieldsOf,
  maxInputs,
  type VectorContent,
  type VectorsRequest,
  type VectorTask,
} from "../hub/request.ts";
import { base64Of, floatsIn, floatsOf, vectorsFor } from "../hub/answer.ts";
import type { Vector, VectorsAnswer, VectorsVendor } from "../hub/answer.ts";
import type { Parsed, Rendered, RequestPath, Target } from "../../wire.ts";

/** Matches DashScope's models, such as `text-embedding-v4`. */
const qwenModels = /^text-embedding-v\d/;
/** Maximum number of inputs in one request for DashScope's models. */
const maxOfQwen = 10;

/** POST /v1/embeddings. */
export const embeddings = {
  name: "embeddings",
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: readUsage,
    maxInputs: (model) => (qwenModels.test(model) ? maxOfQwen : maxInputs),
    isAsRequested,
  },
  client: {
    // The path of the engines endpoint contains the model.
    ...schemaReader(bodies.EngineEmbeddingsRequest, parseRequest),
    render: renderAnswer,
    spelling: { inputs: "input", encoding: "encoding_format" },
  },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function parseRequest(body: JsonRecord, path: RequestPath): Parsed<VectorsRequest> {
  const fields = new Fields(body);
  const model = modelOf(fields, path.model);
  const contents = parseInput(fields);
  const { task, read } = taskOf(body);
  const request: VectorsRequest = {
    model,
    inputs: contents.map((content) => withoutUndefined({ content, task })),
    ...withoutUndefined({
      dimensions: fields.count("dimensions", 1),
      encoding: fields.oneOf("encoding_format", ["float", "base64"]),
      user: fields.text("user"),
      additional: additionalMembers("embeddings", fields, read),
    }),
  };
  return { request, dropped: [] };
}

function modelOf(fields: Fields, inPath: string | undefined): string {
  if (inPath === undefined) return fields.needText("model");
  const inBody = fields.text("model") ?? inPath;
  if (inBody === inPath) return inPath;
  throw invalidFailure("model", `model is ${JSON.stringify(inPath)} in the path, but different in the body.`);
}

/** Maximum tokens of one input. No model accepts more. */
const maxTokens = 131_072;

function parseInput(fields: Fields): readonly VectorContent[] {
  const input = fields.need("input");
  if (typeof input === "string") return [parseOne(input, "input", fields)];
  if (!Array.isArray(input) || input.length === 0) throw fields.wrong("input", "a non-empty string or array");
  if (typeof input[0] === "number") return [{ kind: "tokens", tokens: parseTokens(input, "input", fields) }];
  if (input.length > maxInputs) throw fields.wrong("input", `at most ${maxInputs} inputs`);
  const contents = input.map((value: unknown, index) => parseOne(value, `input[${index}]`, fields));
  const mixedIndex = contents.findIndex(({ kind }) => kind !== contents[0]?.kind);
  if (mixedIndex >= 0) throw fields.wrong(`input[${mixedIndex}]`, "of the same kind as the first");
  return contents;
}

function parseOne(value: unknown, path: string, fields: Fields): VectorContent {
  if (typeof value === "string") {
    if (value === "") throw fields.wrong(path, "a non-empty string");
    return { kind: "text", text: value };
  }
  if (Array.isArray(value)) return { kind: "tokens", tokens: parseTokens(value, path, fields) };
  if (isRecord(value)) return { kind: "own", wire: "embeddings", value };
  throw fields.wrong(path, "a string or an array of tokens");
}

function parseTokens(values: readonly unknown[], path: string, fields: Fields): readonly number[] {
  if (values.length === 0 || values.length > maxTokens) throw fields.wrong(path, `1 to ${maxTokens} tokens`);
  return values.map((value, index) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    throw fields.wrong(`${path}[${index}]`, "a whole number from 0");
  });
}

/** Members that some vendors read as the purpose of the vectors. */
const taskMembers = ["input_type", "task"] as const;

const tasksByName: Readonly<Record<string, VectorTask>> = {
  query: "query",
  search_query: "query",
  "retrieval.query": "query",
  document: "document",
  passage: "document",
  search_document: "document",
  "retrieval.passage": "document",
  similarity: "similarity",
  semantic_similarity: "similarity",
  "text-matching": "similarity",
  classification: "classification",
  clustering: "clustering",
  separation: "clustering",
  "code.query": "code-query",
  code_retrieval_query: "code-query",
};

function taskOf(body: JsonRecord): { readonly task?: VectorTask; readonly read: readonly string[] } {
  for (const name of taskMembers) {
    const value = body[name];
    const task = typeof value === "string" ? ownEntry(tasksByName, value.toLowerCase()) : undefined;
    if (task !== undefined) return { task, read: [name] };
  }
  return { read: [] };
}

function renderRequest(request: VectorsRequest, { model }: Target): Rendered {
  // The additional members of a client of this wire contain its task.
  const { task, title } = optionalFieldsOf(request);
  const unsupported = request.additional?.wire === "embeddings" ? { title } : { task, title };
  const additional = renderAdditionalMembers(request.additional, "embeddings", unsupported);
  const body = withoutUndefined({
    ...additional.members,
    model,
    input: renderInput(request.inputs.map(({ content }) => content)),
    dimensions: request.dimensions,
    encoding_format: request.encoding,
    user: request.user,
  });
  return { body, dropped: additional.dropped };
}

function renderInput(contents: readonly VectorContent[]): unknown {
  const [first] = contents;
  const values = contents.map(renderOne);
  // Every vendor accepts a single text without an array.
  return contents.length === 1 && first?.kind !== "own" ? values[0] : values;
}

function renderOne(content: VectorContent): string | readonly number[] | JsonRecord {
  if (content.kind === "text") return content.text;
  if (content.kind === "tokens") return content.tokens;
  if (content.wire !== "embeddings") throw unsupportedFailure("inputs", "The vendor of this model accepts only text.");
  return content.value;
}

function parseAnswer(body: JsonRecord): VectorsAnswer {
  return readVendor(body, (fields) => {
    const items = fields.each("data", maxInputs);
    if (items.length === 0) throw new Failure("upstream_error", "The vendor's answer has no vector.");
    const vectors: Vector[] = [];
    items.forEach((item, position) => {
      const index = item.count("index") ?? position;
      if (index >= items.length || vectors[index] !== undefined)
        throw item.wrong("index", "a different position for each item");
      const embedding = item.need("embedding");
      vectors[index] = typeof embedding === "string" ? { base64: embedding } : { floats: floatsIn(embedding) };
    });
    return { vectors };
  });
}

/** Returns true if the first vector has the requested encoding. Some vendors ignore `encoding_format`. */
function isAsRequested(start: string, { encoding }: VectorsRequest): boolean {
  const [, first] = /"embedding"\s*:\s*(["[])/.exec(start) ?? [];
  return first === (encoding === "base64" ? '"' : "[");
}

/** Reads the usage of an answer. Some vendors report only the total. */
function readUsage({ usage }: JsonRecord): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const inputTokens = parseCount(usage["prompt_tokens"]) ?? parseCount(usage["total_tokens"]);
  return inputTokens === undefined ? undefined : { inputTokens };
}

function renderAnswer(answer: VectorsAnswer, context: UnstreamedContext<VectorsRequest>): JsonRecord {
  const write = context.request.encoding === "base64" ? base64Of : floatsOf;
  const inputTokens = answer.usage === undefined ? context.inputTokens : (answer.usage.inputTokens ?? 0);
  return {
    object: "list",
    data: vectorsFor(context, answer).map((vector, index) => ({
      object: "embedding",
      index,
      embedding: write(vector),
    })),
    model: context.model,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  };
}
