import { Failure } from "@modelgate/contracts";
import type { Choice, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/codec.ts";
import { logProbability } from "../hub/log-probabilities.ts";
import type { JsonObject } from "../hub/request.ts";
import { renderCall, type AnswerForm, type Said } from "./form.ts";
import { lastMembers } from "./last-line.ts";

/** A whole answer, of the first choice: clients of this wire cannot ask for several. */
export function renderAnswerIn(form: AnswerForm): (answer: TextAnswer, context: AnswerContext) => JsonObject {
  return ({ choices: [choice], usage }, { model, now, elapsedMs }) => {
    if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
    const probabilities = choice.parts.flatMap((part) => (part.kind === "text" ? (part.logProbabilities ?? []) : []));
    return {
      model,
      created_at: timeOf(now),
      ...form(saidIn(choice)),
      logprobs: probabilities.length === 0 ? undefined : probabilities.map(logProbability),
      ...lastMembers(choice.finish, usage, { total: elapsedMs?.() ?? 0 }),
    };
  };
}

/** A time in Unix seconds, as this wire writes it. */
export function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** A refusal's words stand where the answer's would. */
function saidIn({ parts }: Choice): Said {
  const text = parts.flatMap((part) => (part.kind === "text" || part.kind === "refusal" ? [part.text] : [])).join("");
  const thinking = parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join("");
  const calls = parts.filter((part) => part.kind === "tool-call").map(renderCall);
  const images = parts.flatMap((part) =>
    part.kind === "image" && part.source.kind === "base64" ? [part.source.data] : [],
  );
  return {
    text,
    thinking: thinking === "" ? undefined : thinking,
    calls: calls.length === 0 ? undefined : calls,
    images: images.length === 0 ? undefined : images,
  };
}
