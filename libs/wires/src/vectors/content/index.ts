import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { readChecked, type WholeWire } from "../../kind/index.ts";
import type { VectorsAnswer, VectorsVendor } from "../hub/answer.ts";
import type { VectorsRequest } from "../hub/request.ts";
import { parseAnswer, readUsage, renderBatch, renderSingle } from "./answer.ts";
import { maxInBatch, parseBatch, parseSingle, renderRequest } from "./request.ts";

const single = Compile(bodies.EmbedContentRequest);
const batch = Compile(bodies.BatchEmbedContentsRequest);

/** Members that decide what a call may do and cost, of either call. */
const relied = [
  ...Object.keys(bodies.EmbedContentRequest.properties),
  ...Object.keys(bodies.BatchEmbedContentsRequest.properties),
];

const spelling = {
  model: "model",
  inputs: "content",
  dimensions: "outputDimensionality",
  task: "taskType",
  title: "title",
} as const;

/** One text per call (:embedContent), which only clients send. */
export const embedContent = {
  name: "embed-content",
  client: {
    read: (body, path) => readChecked(body, single, (record) => parseSingle(record, path)),
    render: renderSingle,
    relied,
    spelling,
  },
} as const satisfies WholeWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

/** Many texts per call (:batchEmbedContents), which vendors are sent whatever the client's form is. */
export const contentEmbeddings = {
  name: "content-embeddings",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage, maxInputs: () => maxInBatch },
  client: {
    read: (body, path) => readChecked(body, batch, (record) => parseBatch(record, path)),
    render: renderBatch,
    relied,
    spelling: { ...spelling, inputs: "requests" },
  },
} as const satisfies WholeWire<VectorsRequest, VectorsAnswer, VectorsVendor>;
