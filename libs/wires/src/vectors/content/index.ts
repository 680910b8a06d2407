import { bodies, withoutUndefined, type Units } from "@modelgate/contracts";
import { isRecord, memberOf, Fields, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, renderAdditionalMembers } from "../../kind/index.ts";
import type { UnstreamedContext, UnstreamedWire } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import { maxInputs, noTextFailure, vectorTasks } from "../hub/request.ts";
import type { VectorsRequest, VectorContent, VectorInput, VectorTask } from "../hub/request.ts";
import { floatsOf, vectorsFor, vectorsIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";
import type { Parsed, Rendered, RequestPath, Target } from "../../wire.ts";

const [single, batch] = [
  schemaReader(bodies.EmbedContentRequest, parseSingle),
  schemaReader(bodies.BatchEmbedContentsRequest, parseBatch),
];
const inspectedMembers = [...single.inspectedMembers, ...batch.inspectedMembers];
const spelling = { inputs: "content", dimensions: "outputDimensionality", task: "taskType" } as const;

/** Embedding of one text (`:embedContent`), for clients only. */
export const embedContent = {
  name: "embed-content",
  client: { read: single.read, render: renderSingle, inspectedMembers, spelling },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

/** Embeddings of many texts (`:batchEmbedContents`). */
export const contentEmbeddings = {
  name: "content-embeddings",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage, maxInputs: () => maxInBatch },
  client: { read: batch.read, render: renderBatch, inspectedMembers, spelling: { ...spelling, inputs: "requests" } },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function parseAnswer({ embedding, embeddings }: JsonRecord): VectorsAnswer {
  const items = (embedding ?? undefined) === undefined ? embeddings : [embedding];
  return { vectors: vectorsIn(Array.isArray(items) ? items.map((item) => memberOf(item, "values")) : items) };
}

/** Reads the usage of an answer. Older models report none. */
function readUsage({ usageMetadata: usage }: JsonRecord): Units | undefined {
  const inputTokens = isRecord(usage) ? parseCount(usage["promptTokenCount"]) : undefined;
  return inputTokens === undefined ? undefined : { inputTokens };
}

function renderSingle(answer: VectorsAnswer, context: UnstreamedContext<VectorsRequest>): JsonRecord {
  const [embedding] = valuesOf(answer, context);
  return withoutUndefined({ embedding, usageMetadata: renderUsage(answer.usage) });
}

function renderBatch(answer: VectorsAnswer, context: UnstreamedContext<VectorsRequest>): JsonRecord {
  return withoutUndefined({ embeddings: valuesOf(answer, context), usageMetadata: renderUsage(answer.usage) });
}

function valuesOf(answer: VectorsAnswer, context: UnstreamedContext<VectorsRequest>): readonly JsonRecord[] {
  return vectorsFor(context, answer).map((vector) => ({ values: floatsOf(vector) }));
}

function renderUsage(usage: Units | undefined): JsonRecord | undefined {
  return usage === undefined ? undefined : { promptTokenCount: usage.inputTokens ?? 0 };
}

export const taskTypes = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  similarity: "SEMANTIC_SIMILARITY",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
  "question-answering": "QUESTION_ANSWERING",
  "fact-verification": "FACT_VERIFICATION",
  "code-query": "CODE_RETRIEVAL_QUERY",
} as const satisfies Record<VectorTask, string>;

const noTask = "TASK_TYPE_UNSPECIFIED";

const maxParts = 4_096;

/** Parses the body of :embedContent. */
function parseSingle(body: JsonRecord, path: RequestPath): Parsed<VectorsRequest> {
  const fields = new Fields(body, "", "either");
  const model = modelOf(fields, path.model);
  const dimensions = fields.count("outputDimensionality", 1);
  const request = { model, inputs: [parseInput(fields)], ...withoutUndefined({ dimensions }) };
  return { request, dropped: fields.unread() };
}

/** Parses the body of :batchEmbedContents, whose requests must have the same model and dimensions. */
function parseBatch(body: JsonRecord, path: RequestPath): Parsed<VectorsRequest> {
  const fields = new Fields(body, "", "either");
  fields.need("requests");
  const requests = fields.each("requests", maxInputs);
  const [first] = requests;
  if (first === undefined) throw fields.wrong("requests", "a non-empty array");
  const model = modelOf(first, path.model);
  const dimensions = first.count("outputDimensionality", 1);
  const inputs = requests.map((each) => {
    modelOf(each, model);
    if (each.count("outputDimensionality", 1) !== dimensions)
      throw each.wrong("outputDimensionality", "the same in all requests");
    return parseInput(each);
  });
  return { request: { model, inputs, ...withoutUndefined({ dimensions }) }, dropped: fields.unread() };
}

/** Returns the model of a request. Throws Failure (400) if the path and the body name different models. */
function modelOf(fields: Fields, inPath: string | undefined): string {
  const inBody = fields.text("model")?.replace(/^models\//, "");
  if (inPath === undefined) return inBody ?? fields.needText("model");
  if (inBody !== undefined && inBody !== inPath) throw fields.wrong("model", "the model of the path");
  return inPath;
}

function parseInput(fields: Fields): VectorInput {
  fields.need("content");
  return {
    content: parseContent(fields),
    ...withoutUndefined({ task: parseTask(fields), title: fields.text("title") }),
  };
}

/** Parses the content of a request. Content with parts other than text can be sent only to vendors of this wire. */
function parseContent(fields: Fields): VectorContent {
  const content = fields.fields("content");
  const parts = content?.each("parts", maxParts) ?? [];
  content?.ignore("role");
  if (content !== undefined && parts.some((part) => !part.has("text") && Object.keys(part.value).length > 0)) {
    for (const part of parts) part.whole();
    return { kind: "own", wire: "content-embeddings", value: content.whole() };
  }
  const text = parts.map((part) => part.text("text") ?? "").join("\n");
  if (text === "") throw fields.wrong("content.parts", "an array with some text");
  return { kind: "text", text };
}

function parseTask(fields: Fields): VectorInput["task"] {
  const type = fields.oneOf("taskType", [noTask, ...Object.values(taskTypes)]);
  return vectorTasks.find((task) => taskTypes[task] === type);
}

const maxInBatch = 100;

/**
 * Renders the body of :batchEmbedContents. Throws Failure unsupported_parameter for token ids and for content of
 * another wire.
 */
export function renderRequest(request: VectorsRequest, target: Target): Rendered {
  const { additional, user, inputs } = request;
  return {
    body: { requests: inputs.map((input) => renderInput(input, request, target)) },
    dropped: renderAdditionalMembers(additional, "content-embeddings", { user }).dropped,
  };
}

function renderInput({ content, task, title }: VectorInput, request: VectorsRequest, { model }: Target): JsonRecord {
  return withoutUndefined({
    model: `models/${model}`,
    content: renderContent(content),
    taskType: task === undefined ? undefined : taskTypes[task],
    title,
    outputDimensionality: request.dimensions,
  });
}

function renderContent(content: VectorContent): JsonRecord {
  if (content.kind === "text") return { parts: [{ text: content.text }] };
  if (content.kind === "own" && content.wire === "content-embeddings") return content.value;
  throw noTextFailure(content);
}
