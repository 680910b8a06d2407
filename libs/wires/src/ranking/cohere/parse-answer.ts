import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/vendor-answer.ts";
import { parseResults, type RankingAnswer } from "../hub/answer.ts";
import { readUsage } from "./usage.ts";

/** A vendor's answer. It names no model. */
export function parseAnswer(body: JsonRecord): RankingAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const results = parseResults(fields, "results");
    return present({ id: fields.text("id") ?? "", model: "", results, usage });
  });
}
