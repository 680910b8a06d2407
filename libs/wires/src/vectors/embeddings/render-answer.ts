import type { JsonRecord } from "../../json/fields.ts";
import type { VectorsAnswer } from "../hub/answer.ts";
import { vectorsFor, type VectorsContext } from "../hub/codec.ts";
import { base64Of, floatsOf } from "../hub/vector.ts";
import { renderUsage } from "./usage.ts";

/** The answer as the client asked for it, numbers or Base64, whichever the vendor gave. */
export function renderAnswer(answer: VectorsAnswer, context: VectorsContext): JsonRecord {
  const write = context.request.encoding === "base64" ? base64Of : floatsOf;
  return {
    object: "list",
    data: vectorsFor(context, answer).map((vector, index) => ({
      object: "embedding",
      index,
      embedding: write(vector),
    })),
    model: context.model,
    usage: renderUsage(answer.usage ?? { inputTokens: context.inputTokens }),
  };
}
