import { Failure, present } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/vendor-answer.ts";
import type { ModerationAnswer, ModerationResult } from "../hub/answer.ts";
import { mostItems } from "../hub/request.ts";
import { readUsage } from "./usage.ts";

/** A vendor's answer. */
export function parseAnswer(body: JsonRecord): ModerationAnswer {
  const usage = readUsage(body);
  return readVendor(body, (fields) => {
    const results = fields.each("results", mostItems).map(parseResult);
    if (results.length === 0) throw new Failure("upstream_error", "The vendor's answer has no results.");
    const [id, model] = [fields.text("id") ?? "", fields.text("model") ?? ""];
    return present({ id, model, results, usage });
  });
}

function parseResult(item: Fields): ModerationResult {
  item.need("flagged");
  const categories = membersOf(item, "categories", "true, false or null", isAnswer);
  const applied = item.has("category_applied_input_types")
    ? membersOf(item, "category_applied_input_types", "an array of words", isWords)
    : undefined;
  return present({
    flagged: item.flag("flagged") ?? false,
    categories,
    scores: membersOf(item, "category_scores", "a number", isNumber),
    appliedInputTypes: applied,
  });
}

/** An object whose members are all of one kind. Numbers that are null, of categories that old models lack, are left out. */
function membersOf<Value>(
  item: Fields,
  name: string,
  kind: string,
  is: (value: unknown) => value is Value,
): Readonly<Record<string, Value>> {
  const found = item.need(name);
  if (!isRecord(found)) throw item.wrong(name, "an object");
  const entries: [string, Value][] = [];
  for (const [category, value] of Object.entries(found)) {
    if (is(value)) entries.push([category, value]);
    else if (value !== null) throw item.wrong(`${name}.${category}`, kind);
  }
  return Object.fromEntries(entries);
}

function isAnswer(value: unknown): value is boolean | null {
  return value === null || typeof value === "boolean";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
