import { memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { answerFor } from "../core/answer.ts";
import { questionFrom } from "../core/question.ts";
import { vectorOf } from "../core/vector.ts";
import type { Endpoint } from "../vendor.ts";
import { promptsIn } from "./completions.ts";

const shape = shapeOf(`
  nullable<{
    model: filled, input: filled | filled[1..2048] | integer(0, 1000000)[1..2048] | integer(0, 1000000)[1..2048][1..2048],
    dimensions?: integer(1, 4096), encoding_format?: "float" | "base64", user?: string
  }>
`);

const defaultDimensions = 1_536;

/** Endpoint of embeddings. A vector depends only on its text and the number of dimensions. */
export const embeddings: Endpoint = {
  method: "POST",
  path: /^\/v1\/embeddings$/,
  open({ body }) {
    requireShape(body, shape);
    const model = textAt(body, "model") ?? "";
    const inputs = promptsIn(memberOf(body, "input"));
    const question = questionFrom(model, inputs);
    const dimensions = numberAt(body, "dimensions") ?? defaultDimensions;
    const inBase64 = textAt(body, "encoding_format") === "base64";
    return {
      directive: question.directive,
      whole: (behaviour) => {
        const { counts, usage } = answerFor(question, { ...behaviour, text: "" });
        return {
          object: "list",
          model,
          data: inputs.map((words, index) => {
            const vector = vectorOf(words, dimensions);
            return { object: "embedding", index, embedding: inBase64 ? base64Of(vector) : vector };
          }),
          ...(usage !== null && {
            usage: usage ?? { prompt_tokens: counts.inputTokens, total_tokens: counts.inputTokens },
          }),
        };
      },
    };
  },
};

/** Encodes numbers as floats of four bytes, little endian. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
