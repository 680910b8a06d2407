import type { VectorsCodec, VectorsVendorCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseBatch, parseSingle } from "./parse-request.ts";
import { renderBatchAnswer, renderSingleAnswer } from "./render-answer.ts";
import { mostInBatch, renderBatch, renderSingle } from "./render-request.ts";
import { readUsage } from "./usage.ts";

const both = {
  wire: "content-embeddings",
  parseAnswer,
  readUsage,
  spelling: { model: "model", inputs: "content", dimensions: "outputDimensionality", task: "taskType", title: "title" },
} as const;

/** Vectors of the content-generation wire, one text a call (:embedContent). */
export const embedContentCodec: VectorsCodec = {
  ...both,
  parseRequest: parseSingle,
  renderRequest: renderSingle,
  renderAnswer: renderSingleAnswer,
};

/** The same for many texts (:batchEmbedContents): what a vendor of this wire is best asked, whatever the client's form. */
export const batchEmbedContentsCodec: VectorsCodec & VectorsVendorCodec = {
  ...both,
  parseRequest: parseBatch,
  renderRequest: renderBatch,
  renderAnswer: renderBatchAnswer,
  mostInputs: () => mostInBatch,
  spelling: { ...both.spelling, inputs: "requests" },
};
