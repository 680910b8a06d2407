import { listAt, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import { freshId } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { tokensOf } from "../core/tokens.ts";
import { vectorOf } from "../core/vector.ts";
import type { Endpoint } from "../vendor.ts";

/** Shape of an embedding request. */
export const embedShape = `{
  texts: filled[1..96], input_type: "search_document" | "search_query" | "classification" | "clustering",
  embedding_types?: "float"[1..], truncate?: "NONE" | "START" | "END", output_dimension?: integer(1)
}`;

const shape = new Shapes(`Embed = ${embedShape}; It = { ...Embed, model: filled, embedding_types: "float"[1..] };`).of(
  "It",
);

/** Returns a request's vectors and tokens. */
export function embedTexts(body: unknown, model: string) {
  const texts = listAt(body, "texts").map(String);
  const { directive } = questionFrom(model, [texts.at(-1) ?? ""]);
  const dimensions = numberAt(body, "output_dimension") ?? 1_024;
  return {
    directive,
    tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0),
    whole: { id: freshId("em-"), embeddings: { float: texts.map((text) => vectorOf(text, dimensions)) } },
  };
}

export const embed: Endpoint = {
  method: "POST",
  path: /^\/v2\/embed$/,
  open({ body }) {
    requireShape(body, shape);
    const { directive, tokens, whole } = embedTexts(body, textAt(body, "model") ?? "");
    const meta = { api_version: { version: "2" }, billed_units: { input_tokens: tokens } };
    return { directive, whole: () => ({ ...whole, texts: listAt(body, "texts"), meta }) };
  },
};
