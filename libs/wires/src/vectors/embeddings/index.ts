import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { readChecked, type WholeWire } from "../../kind/index.ts";
import type { VectorsAnswer, VectorsVendor } from "../hub/answer.ts";
import { maxInputs, type VectorsRequest } from "../hub/request.ts";
import { parseAnswer, readUsage, renderAnswer } from "./answer.ts";
import { parseRequest, renderRequest } from "./request.ts";

/** Schema of a body whose model may be in the path, on the engines endpoint. */
const shape = Compile(bodies.EngineEmbeddingsRequest);

/** The embeddings wire (POST /v1/embeddings). */
export const embeddings = {
  name: "embeddings",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage, maxInputs: () => maxInputs },
  client: {
    read: (body, path) => readChecked(body, shape, (record) => parseRequest(record, path)),
    render: renderAnswer,
    relied: Object.keys(bodies.EmbeddingsRequest.properties),
    spelling: { model: "model", inputs: "input", dimensions: "dimensions", encoding: "encoding_format", user: "user" },
  },
} as const satisfies WholeWire<VectorsRequest, VectorsAnswer, VectorsVendor>;
