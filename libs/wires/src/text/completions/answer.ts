import { addUnits, Failure, withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { renderUsage } from "../chat/usage.ts";
import { completionFinishReasons, type Choice, type TextAnswer } from "../hub/answer.ts";
import type { AnsweredRequest, AnswerContext } from "../hub/wire.ts";
import type { TokenProbability } from "../hub/part.ts";
import type { TextRequest } from "../hub/request.ts";

export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonRecord {
  return renderPromptAnswers([{ request: context.request, answer }], context);
}

/** Renders one completion for the answers to all prompts. */
export function renderPromptAnswers(all: readonly AnsweredRequest[], context: AnswerContext): JsonRecord {
  const choices = all.flatMap(({ request, answer }, prompt) => {
    if (answer.choices.length === 0) throw new Failure("upstream_error", "The vendor's answer is empty.");
    const first = prompt * (request.choices ?? 1);
    const echo = echoedPrompt(context, request);
    return answer.choices.map((choice, index) => renderChoice(choice, first + index, echo));
  });
  const usage = all
    .map(({ answer }) => answer.usage)
    .reduce((sum, each) => (sum === undefined || each === undefined ? undefined : addUnits(sum, each)));
  return withoutUndefined({
    id: context.answerId,
    object: "text_completion",
    created: context.now,
    model: context.model,
    choices,
    usage: usage === undefined ? undefined : renderUsage(usage),
  });
}

function renderChoice({ parts, finish }: Choice, index: number, echo: string): JsonRecord {
  const texts = parts.flatMap((part) => (part.kind === "text" || part.kind === "refusal" ? [part.text] : []));
  const probabilities = parts.flatMap((part) => (part.kind === "text" ? (part.logProbabilities ?? []) : []));
  return {
    text: echo + texts.join(""),
    index,
    logprobs: renderProbabilities(probabilities, echo.length),
    finish_reason: completionFinishReasons[finish],
  };
}

/** Returns the prompt if the client requested `echo`, else "". */
export function echoedPrompt({ requestBody }: Pick<AnswerContext, "requestBody">, { turns }: TextRequest): string {
  if (requestBody["echo"] !== true) return "";
  return turns.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))).join("");
}

/** Renders probabilities as parallel lists. `offset` is the position of the first token. */
export function renderProbabilities(all: readonly TokenProbability[], offset: number): JsonRecord | null {
  if (all.length === 0) return null;
  let next = offset;
  const offsets = all.map(({ token }) => {
    const index = next;
    next += token.length;
    return index;
  });
  return {
    tokens: all.map(({ token }) => token),
    token_logprobs: all.map(({ logProbability }) => logProbability),
    top_logprobs: all.some(({ alternatives }) => alternatives.length > 0) ? all.map(renderAlternatives) : null,
    text_offset: offsets,
  };
}

function renderAlternatives({ alternatives }: TokenProbability): JsonRecord {
  return Object.fromEntries(alternatives.map(({ token, logProbability }) => [token, logProbability]));
}
