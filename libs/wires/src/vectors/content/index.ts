import { bodies, withoutUndefined, type Units } from "@modelgate/contracts";
import { isRecord, memberOf, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, type UnstreamedContext, type UnstreamedWire } from "../../kind/index.ts";
import { parseCount } from "../../text/hub/counts.ts";
import { floatsOf, vectorsFor, vectorsIn, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";
import type { VectorsRequest } from "../hub/request.ts";
import { maxInBatch, parseBatch, parseSingle, renderRequest } from "./request.ts";

const [single, batch] = [
  schemaReader(bodies.EmbedContentRequest, parseSingle),
  schemaReader(bodies.BatchEmbedContentsRequest, parseBatch),
];
const inspectedMembers = [...single.inspectedMembers, ...batch.inspectedMembers];
const spelling = { inputs: "content", dimensions: "outputDimensionality", task: "taskType" } as const;

/** One text per call (:embedContent), for clients only. */
export const embedContent = {
  name: "embed-content",
  client: { read: single.read, render: renderSingle, inspectedMembers, spelling },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

/** Many texts per call (:batchEmbedContents), for clients and vendors. Vendors get single texts by this call too. */
export const contentEmbeddings = {
  name: "content-embeddings",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage, maxInputs: () => maxInBatch },
  client: { read: batch.read, render: renderBatch, inspectedMembers, spelling: { ...spelling, inputs: "requests" } },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function parseAnswer({ embedding, embeddings }: JsonRecord): VectorsAnswer {
  const items = (embedding ?? undefined) === undefined ? embeddings : [embedding];
  return { vectors: vectorsIn(Array.isArray(items) ? items.map((item) => memberOf(item, "values")) : items) };
}

/** Reads `usageMetadata` of an answer; older models report none. */
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
