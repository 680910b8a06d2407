import { Failure, present } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/vendor-answer.ts";
import type { VectorsAnswer } from "../hub/answer.ts";
import { mostInputs } from "../hub/request.ts";
import type { Vector } from "../hub/vector.ts";
import { readUsage } from "./usage.ts";

/** A vendor's answer to either of the two calls. It names no model. */
export function parseAnswer(body: JsonRecord): VectorsAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const single = fields.fields("embedding");
    const items = single === undefined ? fields.each("embeddings", mostInputs) : [single];
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
