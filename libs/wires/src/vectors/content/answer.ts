import { Failure, present, type Units } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor, type WholeContext } from "../../kind/index.ts";
import { countOf } from "../../text/hub/counts.ts";
import { floatsOf, vectorsFor, type Vector, type VectorsAnswer } from "../hub/answer.ts";
import { maxInputs, type VectorsRequest } from "../hub/request.ts";

/** Parses a vendor's answer to either of the two calls. It names no model. */
export function parseAnswer(body: JsonRecord): VectorsAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const single = fields.fields("embedding");
    const items = single === undefined ? fields.each("embeddings", maxInputs) : [single];
    if (items.length === 0) throw new Failure("upstream_error", "The vendor's answer has no vector.");
    return present({ model: "", vectors: items.map(parseVector), usage });
  });
}

function parseVector(item: Fields): Vector {
  item.need("values");
  const floats = (item.list("values") ?? []).map((value) => {
    if (typeof value === "number") return value;
    throw item.wrong("values", "an array of numbers");
  });
  return { floats };
}

/** Reads `usageMetadata` of an answer; older models report none. */
export function readUsage({ usageMetadata: usage }: JsonRecord): Units | undefined {
  const inputTokens = isRecord(usage) ? countOf(usage["promptTokenCount"]) : undefined;
  return inputTokens === undefined ? undefined : { inputTokens };
}

function renderUsage(usage: Units | undefined): JsonRecord | undefined {
  return usage === undefined ? undefined : { promptTokenCount: usage.inputTokens ?? 0 };
}

/** Renders the answer to :embedContent. */
export function renderSingle(answer: VectorsAnswer, context: WholeContext<VectorsRequest>): JsonRecord {
  const [embedding] = valuesOf(answer, context);
  return present({ embedding, usageMetadata: renderUsage(answer.usage) });
}

/** Renders the answer to :batchEmbedContents. */
export function renderBatch(answer: VectorsAnswer, context: WholeContext<VectorsRequest>): JsonRecord {
  return present({ embeddings: valuesOf(answer, context), usageMetadata: renderUsage(answer.usage) });
}

function valuesOf(answer: VectorsAnswer, context: WholeContext<VectorsRequest>): readonly JsonRecord[] {
  return vectorsFor(context, answer).map((vector) => ({ values: floatsOf(vector) }));
}
