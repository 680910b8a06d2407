import type { VectorsCodec, VectorsVendorCodec } from "../hub/codec.ts";
import { mostInputs } from "../hub/request.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { readUsage } from "./usage.ts";

/** The embeddings wire (POST /v1/embeddings), both directions. */
export const embeddingsCodec: VectorsCodec & VectorsVendorCodec = {
  wire: "embeddings",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  readUsage,
  mostInputs: () => mostInputs,
  spelling: { model: "model", inputs: "input", dimensions: "dimensions", encoding: "encoding_format", user: "user" },
};
