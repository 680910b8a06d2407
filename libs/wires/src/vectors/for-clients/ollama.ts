import { bodies, present } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { Fields, type JsonRecord } from "../../json/fields.ts";

import type { Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfVectors } from "../hub/ask.ts";
import { vectorsFor, type ClientVectorsCodec } from "../hub/codec.ts";
import { mostInputs, type VectorsRequest } from "../hub/request.ts";
import { floatsOf } from "../hub/vector.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfOllamaEmbed = Object.keys(bodies.OllamaEmbedRequest.properties);

const shape = Compile(bodies.OllamaEmbedRequest);

/** Checks a request of Ollama's for embeddings. Throws Failure (400) naming the field. */
export function askOfOllamaEmbed(body: unknown): Ask<VectorsRequest> {
  return askOfVectors(readChecked(body, shape, parseRequest));
}

/** What a client of POST /api/embed asks and gets. */
export const ollamaEmbedCodec: ClientVectorsCodec = {
  wire: "ollama-embed",
  renderAnswer: (answer, context) => ({
    model: context.model,
    embeddings: vectorsFor(context, answer).map(floatsOf),
    prompt_eval_count: answer.usage?.inputTokens ?? context.inputTokens,
  }),
  spelling: { model: "model", inputs: "input", dimensions: "dimensions" },
};

function parseRequest(body: JsonRecord): ParsedRequest<VectorsRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const input = fields.raw("input");
  const texts = typeof input === "string" ? [input] : (fields.texts("input") ?? []);
  if (texts.length === 0 || texts.length > mostInputs) throw fields.wrong("input", `1 to ${mostInputs} texts`);
  // How its own process loads a model, which no vendor does; inputs that are too long are every vendor's to cut.
  for (const name of ["keep_alive", "truncate"]) fields.ignore(name);
  const request: VectorsRequest = {
    model,
    inputs: texts.map((text) => ({ content: { kind: "text", text } })),
    ...present({ dimensions: fields.count("dimensions", 1) }),
  };
  return { request, dropped: fields.unread() };
}
