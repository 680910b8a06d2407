import { addUnits, Failure, type Units, present } from "@modelgate/contracts";
import { renderUsage } from "../chat/usage.ts";
import { finishWords, type Choice, type TextAnswer } from "../hub/answer.ts";
import type { AnsweredRequest, AnswerContext } from "../hub/wire.ts";
import type { TokenProbability } from "../hub/part.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";

/** The completion for the answer to one prompt, that of the context's request. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonObject {
  return renderPromptAnswers([{ request: context.request, answer }], context);
}

/** The completion for the answers to all prompts, in the order of the prompts; choices are numbered through. */
export function renderPromptAnswers(all: readonly AnsweredRequest[], context: AnswerContext): JsonObject {
  const choices = all.flatMap(({ request, answer }, prompt) => {
    if (answer.choices.length === 0) throw new Failure("upstream_error", "The vendor's answer is empty.");
    const first = prompt * (request.choices ?? 1);
    const echo = echoOf(context, request);
    return answer.choices.map((choice, index) => renderChoice(choice, first + index, echo));
  });
  const usage = sumOf(all.map(({ answer }) => answer.usage));
  return present({
    id: context.answerId,
    object: "text_completion",
    created: context.now,
    model: context.model,
    choices,
    usage: usage === undefined ? undefined : renderUsage(usage),
  });
}

/** Text only: thoughts have no place here, and no calls were requested. */
function renderChoice({ parts, finish }: Choice, index: number, echo: string): JsonObject {
  const words = parts.flatMap((part) => (part.kind === "text" || part.kind === "refusal" ? [part.text] : []));
  const probabilities = parts.flatMap((part) => (part.kind === "text" ? (part.logProbabilities ?? []) : []));
  return {
    text: echo + words.join(""),
    index,
    logprobs: renderProbabilities(probabilities, echo.length),
    finish_reason: finishWords[finish],
  };
}

/** The usage of all calls; undefined where one of them reported none, as a part is not the total. */
function sumOf(all: readonly (Units | undefined)[]): Units | undefined {
  return all.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : addUnits(sum, each)));
}

/** Returns the text before each choice's own words: the prompt, where the client wants it repeated. */
export function echoOf({ requestBody }: Pick<AnswerContext, "requestBody">, { turns }: TextRequest): string {
  if (requestBody["echo"] !== true) return "";
  return turns.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))).join("");
}

/**
 * Probabilities of a text's tokens as this wire has them, in parallel lists; null for none. `offset` is where the
 * text's first token is in its choice.
 */
export function renderProbabilities(all: readonly TokenProbability[], offset: number): JsonObject | null {
  if (all.length === 0) return null;
  let next = offset;
  const offsets = all.map(({ token }) => {
    const at = next;
    next += token.length;
    return at;
  });
  return {
    tokens: all.map(({ token }) => token),
    token_logprobs: all.map(({ logProbability }) => logProbability),
    top_logprobs: all.some(({ alternatives }) => alternatives.length > 0) ? all.map(alternativesOf) : null,
    text_offset: offsets,
  };
}

function alternativesOf({ alternatives }: TokenProbability): JsonObject {
  return Object.fromEntries(alternatives.map(({ token, logProbability }) => [token, logProbability]));
}
