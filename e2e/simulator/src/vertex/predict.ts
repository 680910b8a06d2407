import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape, Refusal } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { questionFrom } from "../core/question.ts";
import { tokensOf } from "../core/tokens.ts";
import { vectorOf } from "../core/vector.ts";
import type { ParsedRequest } from "../vendor.ts";

const shape = shapeOf(`{
  instances: { content: filled, task_type?: filled, title?: filled }[1..250],
  parameters?: { outputDimensionality?: integer(1), autoTruncate?: boolean }
}`);

export function predictEmbeddings(body: unknown, model: string): ParsedRequest {
  requireShape(body, shape);
  const texts = listAt(body, "instances").map((each) => textAt(each, "content") ?? "");
  if (model.startsWith("gemini-") && texts.length > 1)
    throw new Refusal(400, "The model takes one instance in a request.");
  const { directive } = questionFrom(model, [texts.at(-1) ?? ""]);
  const dimensions = numberAt(memberOf(body, "parameters"), "outputDimensionality") ?? 768;
  return {
    directive,
    whole: () => ({
      predictions: texts.map((text) => ({
        embeddings: {
          values: vectorOf(text, dimensions),
          statistics: { truncated: false, token_count: tokensOf(text) },
        },
      })),
      metadata: { billableCharacterCount: texts.join("").length },
    }),
  };
}
