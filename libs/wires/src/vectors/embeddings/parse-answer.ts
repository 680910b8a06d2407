import { Failure, present } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/vendor-answer.ts";
import type { VectorsAnswer } from "../hub/answer.ts";
import { mostInputs } from "../hub/request.ts";
import type { Vector } from "../hub/vector.ts";
import { readUsage } from "./usage.ts";

/** A vendor's answer, its vectors put in the order of their `index`. */
export function parseAnswer(body: JsonRecord): VectorsAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const items = fields.each("data", mostInputs);
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
