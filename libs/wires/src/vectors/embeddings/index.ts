import type { VectorsCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { readUsage } from "./usage.ts";

/** The embeddings wire (POST /v1/embeddings), both directions. */
export const embeddingsCodec: VectorsCodec = {
  wire: "embeddings",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  readUsage,
  spelling: { model: "model", inputs: "input", dimensions: "dimensions", encoding: "encoding_format", user: "user" },
};
