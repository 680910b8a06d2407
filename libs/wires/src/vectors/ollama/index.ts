import { bodies, present } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import { readChecked, type WholeWire } from "../../kind/index.ts";
import type { Parsed } from "../../wire.ts";
import { floatsOf, vectorsFor, type VectorsAnswer, type VectorsVendor } from "../hub/answer.ts";
import { maxInputs, type VectorsRequest } from "../hub/request.ts";

const shape = Compile(bodies.OllamaEmbedRequest);

/** POST /api/embed, which only clients send. */
export const ollama = {
  name: "ollama-embed",
  client: {
    read: (body) => readChecked(body, shape, parseRequest),
    render: (answer, context) => ({
      model: context.model,
      embeddings: vectorsFor(context, answer).map(floatsOf),
      prompt_eval_count: answer.usage?.inputTokens ?? context.inputTokens,
    }),
    relied: Object.keys(bodies.OllamaEmbedRequest.properties),
    spelling: { model: "model", inputs: "input", dimensions: "dimensions" },
  },
} as const satisfies WholeWire<VectorsRequest, VectorsAnswer, VectorsVendor>;

function parseRequest(body: JsonRecord): Parsed<VectorsRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const input = fields.raw("input");
  const texts = typeof input === "string" ? [input] : (fields.texts("input") ?? []);
  if (texts.length === 0 || texts.length > maxInputs) throw fields.wrong("input", `1 to ${maxInputs} texts`);
  // How its own process loads a model, which no vendor does; every vendor cuts inputs that are too long.
  for (const name of ["keep_alive", "truncate"]) fields.ignore(name);
  const request: VectorsRequest = {
    model,
    inputs: texts.map((text) => ({ content: { kind: "text", text } })),
    ...present({ dimensions: fields.count("dimensions", 1) }),
  };
  return { request, dropped: fields.unread() };
}
