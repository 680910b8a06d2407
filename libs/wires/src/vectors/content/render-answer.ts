import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { VectorsAnswer } from "../hub/answer.ts";
import { vectorsFor, type VectorsContext } from "../hub/codec.ts";
import { floatsOf } from "../hub/vector.ts";
import { renderUsage } from "./usage.ts";

/** The answer to :embedContent. */
export function renderSingleAnswer(answer: VectorsAnswer, context: VectorsContext): JsonRecord {
  const [embedding] = valuesOf(answer, context);
  return present({ embedding, usageMetadata: renderUsage(answer.usage) });
}

/** The answer to :batchEmbedContents. */
export function renderBatchAnswer(answer: VectorsAnswer, context: VectorsContext): JsonRecord {
  return present({ embeddings: valuesOf(answer, context), usageMetadata: renderUsage(answer.usage) });
}

function valuesOf(answer: VectorsAnswer, context: VectorsContext): readonly JsonRecord[] {
  return vectorsFor(context, answer).map((vector) => ({ values: floatsOf(vector) }));
}
