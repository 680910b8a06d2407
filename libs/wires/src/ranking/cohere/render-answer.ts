import type { JsonRecord } from "../../json/fields.ts";
import { renderResults, type RankingAnswer } from "../hub/answer.ts";
import type { RankingContext } from "../hub/codec.ts";
import { renderMeta } from "./usage.ts";

/** The answer as a client of this wire gets it. */
export function renderAnswer(answer: RankingAnswer, context: RankingContext): JsonRecord {
  return {
    id: answer.id === "" ? context.answerId : answer.id,
    results: renderResults(answer, context),
    meta: renderMeta(answer.usage),
  };
}
