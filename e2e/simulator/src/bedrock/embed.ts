import { listAt, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { embedTexts, embedShape } from "../cohere/embed.ts";
import { questionFrom } from "../core/question.ts";
import { tokensOf } from "../core/tokens.ts";
import { vectorOf } from "../core/vector.ts";
import type { ParsedRequest } from "../vendor.ts";

const titanShape = shapeOf(`{
  inputText: filled, dimensions?: integer(256, 1024), normalize?: boolean, embeddingTypes?: ("float" | "binary")[1..]
}`);
const titanFirstShape = shapeOf("{ inputText: filled }");
const cohereShape = shapeOf(embedShape);

/** Parses an embedding request in Amazon's format, which has one text. */
export function embedAsTitan(body: unknown, model: string): ParsedRequest {
  const isFirst = model.includes("-v1");
  requireShape(body, isFirst ? titanFirstShape : titanShape);
  const text = textAt(body, "inputText") ?? "";
  const { directive } = questionFrom(model, [text]);
  const dimensions = numberAt(body, "dimensions") ?? (isFirst ? 1_536 : 1_024);
  return {
    directive,
    whole: () => ({ embedding: vectorOf(text, dimensions), inputTextTokenCount: tokensOf(text) }),
  };
}

/** Parses an embedding request in Cohere's format. The tokens are in a header of the answer. */
export function embedAsCohere(body: unknown, model: string): ParsedRequest {
  requireShape(body, cohereShape);
  const { directive, tokens, whole } = embedTexts(body, model);
  const texts = listAt(body, "texts").map(String);
  return {
    directive,
    headers: { "x-amzn-bedrock-input-token-count": String(tokens) },
    whole: () => ({ ...whole, texts, response_type: "embeddings_by_type" }),
  };
}
