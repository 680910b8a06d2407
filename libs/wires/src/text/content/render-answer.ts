import { present } from "@modelgate/contracts";
import type { Choice, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/codec.ts";
import type { JsonObject } from "../hub/request.ts";
import { answerPart } from "./answer-parts.ts";
import { renderCitations } from "./citations.ts";
import { finishWords } from "./endings.ts";
import { renderProbabilities } from "./probabilities.ts";
import { renderUsage } from "./usage.ts";

/** A whole answer as a client of this wire gets it. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonObject {
  return present({
    candidates: answer.choices.map(candidateOf),
    usageMetadata: answer.usage === undefined ? undefined : renderUsage(answer.usage),
    modelVersion: context.model,
    responseId: context.answerId,
  });
}

function candidateOf({ parts, finish }: Choice, index: number): JsonObject {
  const texts = parts.filter((part) => part.kind === "text");
  return present({
    content: { role: "model", parts: parts.flatMap(answerPart) },
    finishReason: finishWords[finish],
    index,
    citationMetadata: renderCitations(texts.flatMap(({ citations }) => citations ?? [])),
    logprobsResult: renderProbabilities(texts.flatMap(({ logProbabilities }) => logProbabilities ?? [])),
  });
}
