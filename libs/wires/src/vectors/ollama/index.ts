import { bodies, withoutUndefined } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, type UnstreamedWire } from "../../kind/index.ts";
import type { Parsed } from "../../wire.ts";
import { parseTexts, type VectorsRequest } from "../hub/request.ts";
import { floatsOf, vectorsFor, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";

/** Ollama's embeddings (POST /api/embed), for clients only. */
export const ollama = {
  name: "ollama-embed",
  client: {
    ...schemaReader(bodies.OllamaEmbedRequest, parseRequest),
    render: (answer, context) => ({
      model: context.model,
      embeddings: vectorsFor(context, answer).map(floatsOf),
      prompt_eval_count: answer.usage?.inputTokens ?? context.inputTokens,
    }),
    spelling: { inputs: "input" },
  },
} as const satisfies UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function parseRequest(body: JsonRecord): Parsed<VectorsRequest> {
  const fields = new Fields(body);
  // Settings of a local Ollama process.
  fields.ignore("keep_alive", "truncate");
  const request: VectorsRequest = {
    model: fields.needText("model"),
    inputs: parseTexts(fields, "input").map((text) => ({ content: { kind: "text", text } })),
    ...withoutUndefined({ dimensions: fields.count("dimensions", 1) }),
  };
  return { request, dropped: fields.unread() };
}
