import { listAt, numberAt, textAt } from "../checks/members.ts";
import { demand } from "../checks/refusal.ts";
import { closed, filledText, integer, list, oneOf } from "../checks/shape.ts";
import { freshId } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { tokensOf } from "../core/tokens.ts";
import { vectorOf } from "../core/vector.ts";
import type { Endpoint } from "../vendor.ts";

/** What vectors may be for. */
export const embedTypes = oneOf("search_document", "search_query", "classification", "clustering");

const shape = closed(
  {
    model: filledText,
    texts: list(filledText, { least: 1, most: 96 }),
    input_type: embedTypes,
    embedding_types: list(oneOf("float"), { least: 1 }),
  },
  { truncate: oneOf("NONE", "START", "END"), output_dimension: integer(1) },
);

/** The vectors of a request's texts, and the tokens in them. */
export function embedded(body: unknown, model: string) {
  const texts = listAt(body, "texts").map(String);
  const { directive } = questionFrom(model, [texts.at(-1) ?? ""]);
  const dimensions = numberAt(body, "output_dimension") ?? 1_024;
  return {
    directive,
    tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0),
    whole: { id: freshId("em-"), embeddings: { float: texts.map((text) => vectorOf(text, dimensions)) } },
  };
}

/** `POST /v2/embed`. */
export const embed: Endpoint = {
  method: "POST",
  path: /^\/v2\/embed$/,
  open({ body }) {
    demand(body, shape);
    const { directive, tokens, whole } = embedded(body, textAt(body, "model") ?? "");
    const meta = { api_version: { version: "2" }, billed_units: { input_tokens: tokens } };
    return { directive, whole: () => ({ ...whole, texts: listAt(body, "texts"), meta }) };
  },
};
