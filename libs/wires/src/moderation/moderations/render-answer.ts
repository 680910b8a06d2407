import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { resultsFor, type ModerationAnswer } from "../hub/answer.ts";
import type { ModerationContext } from "../hub/codec.ts";

/** The answer as a client of this wire gets it, which has no place for usage. */
export function renderAnswer(answer: ModerationAnswer, context: ModerationContext): JsonRecord {
  return {
    id: answer.id === "" ? `modr-${context.answerId}` : answer.id,
    model: context.model,
    results: resultsFor(context.request, answer.results).map(({ flagged, categories, scores, appliedInputTypes }) =>
      present({ flagged, categories, category_scores: scores, category_applied_input_types: appliedInputTypes }),
    ),
  };
}
