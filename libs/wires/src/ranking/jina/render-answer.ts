import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { renderResults, type RankingAnswer } from "../hub/answer.ts";
import type { RankingContext } from "../hub/codec.ts";
import { renderMeta, renderUsage } from "./usage.ts";

/** The answer with what clients of all the usual vendors look for: `usage` in tokens, `meta` in search units. */
export function renderAnswer(answer: RankingAnswer, context: RankingContext): JsonRecord {
  return present({
    id: answer.id === "" ? context.answerId : answer.id,
    model: context.model,
    object: "list",
    results: renderResults(answer, context),
    usage: renderUsage(answer.usage),
    meta: renderMeta(answer.usage),
  });
}
