import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/vendor-answer.ts";
import { parseResults, type RankingAnswer } from "../hub/answer.ts";
import { readUsage } from "./usage.ts";

/** A vendor's answer; some call the results `data`. */
export function parseAnswer(body: JsonRecord): RankingAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const results = parseResults(fields, fields.has("results") ? "results" : "data");
    const [id, model] = [fields.text("id") ?? "", fields.text("model") ?? ""];
    return present({ id, model, results, usage });
  });
}
