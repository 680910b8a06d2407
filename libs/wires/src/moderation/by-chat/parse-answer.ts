import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { TextAnswer } from "../../text/hub/answer.ts";
import { resultsFor, type ModerationAnswer, type ModerationResult } from "../hub/answer.ts";
import { categoryNames } from "../hub/categories.ts";
import type { ModerationRequest } from "../hub/request.ts";

/** From this likelihood on an item falls under a category. */
export const flaggedFrom = 0.5;

/**
 * What a chat model judged. Throws Failure upstream_error for words that are not JSON of the schema that it was given,
 * for an answer that was cut or refused, and for items that were left out.
 */
export function parseJudgement(answer: TextAnswer, request: ModerationRequest): ModerationAnswer {
  const results = resultsIn(wordsOf(answer));
  const judged = resultsFor(request, results.map(parseResult));
  const { model, usage } = answer;
  const withTypes = judged.map((result, index) => ({ ...result, appliedInputTypes: typesOf(request, index) }));
  // Its id is that of a chat: a judgement gets its own.
  return present({ id: "", model, results: withTypes, usage });
}

function wordsOf({ choices: [choice] }: TextAnswer): string {
  const parts = choice?.parts ?? [];
  if (choice?.finish === "refused" || choice?.finish === "filtered" || parts.some(({ kind }) => kind === "refusal"))
    throw new Failure("upstream_error", "The model refused to judge the input.");
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
}

function resultsIn(words: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(words);
  } catch (cause) {
    throw unreadable(cause);
  }
  const results: unknown = isRecord(value) ? value["results"] : undefined;
  if (!Array.isArray(results)) throw unreadable();
  return results;
}

/** Results stand in the order of the items, and say so. */
function parseResult(value: unknown, index: number): ModerationResult {
  const given: unknown = isRecord(value) && value["item"] === index ? value["scores"] : undefined;
  if (!isRecord(given)) throw unreadable();
  const scores = Object.fromEntries(categoryNames.map((name) => [name, scoreOf(given, name)]));
  const categories = Object.fromEntries(categoryNames.map((name) => [name, scoreOf(given, name) >= flaggedFrom]));
  return { flagged: Object.values(categories).includes(true), categories, scores };
}

function scoreOf(scores: JsonRecord, name: string): number {
  const score = scores[name];
  if (typeof score === "number" && score >= 0 && score <= 1) return score;
  throw unreadable();
}

/** The model saw all parts of an item together. */
function typesOf({ items }: ModerationRequest, index: number): Readonly<Record<string, readonly string[]>> {
  const kinds = [...new Set((items[index]?.parts ?? []).map(({ kind }) => kind))];
  return Object.fromEntries(categoryNames.map((name) => [name, kinds]));
}

function unreadable(cause?: unknown): Failure {
  return new Failure("upstream_error", "The model's judgement is not the JSON that it was asked for.", { cause });
}
