import { Failure, present, type Units } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor, type WholeContext } from "../../kind/index.ts";
import { countOf } from "../../text/hub/counts.ts";
import { base64Of, floatsOf, vectorsFor, type Vector, type VectorsAnswer } from "../hub/answer.ts";
import { maxInputs, type VectorsRequest } from "../hub/request.ts";

/** Parses a vendor's answer and puts its vectors in the order of their `index`. */
export function parseAnswer(body: JsonRecord): VectorsAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const items = fields.each("data", maxInputs);
    if (items.length === 0) throw new Failure("upstream_error", "The vendor's answer has no vector.");
    const vectors: Vector[] = [];
    items.forEach((item, position) => {
      const index = item.count("index") ?? position;
      if (index >= items.length || vectors[index] !== undefined) throw item.wrong("index", "a place of its own");
      vectors[index] = parseVector(item);
    });
    return present({ model: fields.text("model") ?? "", vectors, usage });
  });
}

function parseVector(item: Fields): Vector {
  const embedding = item.need("embedding");
  if (typeof embedding === "string") return { base64: embedding };
  if (!Array.isArray(embedding)) throw item.wrong("embedding", "an array of numbers or a string");
  return { floats: embedding.map((value: unknown) => (typeof value === "number" ? value : notANumber(item))) };
}

function notANumber(item: Fields): never {
  throw item.wrong("embedding", "an array of numbers");
}

/** Reads `usage` of an answer: input tokens only; some vendors report nothing but the total. */
export function readUsage({ usage }: JsonRecord): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const inputTokens = countOf(usage["prompt_tokens"]) ?? countOf(usage["total_tokens"]);
  return inputTokens === undefined ? undefined : { inputTokens };
}

function renderUsage({ inputTokens = 0 }: Units): JsonRecord {
  return { prompt_tokens: inputTokens, total_tokens: inputTokens };
}

/** Renders numbers or Base64 as the client wants them, whichever the vendor gave. */
export function renderAnswer(answer: VectorsAnswer, context: WholeContext<VectorsRequest>): JsonRecord {
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
