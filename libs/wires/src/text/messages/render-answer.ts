import { Failure, present } from "@modelgate/contracts";
import type { TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/codec.ts";
import type { JsonObject } from "../hub/request.ts";
import { allAnswerBlocks } from "./answer-parts.ts";
import { stopReasonOf } from "./endings.ts";
import { renderUsage, tierWord } from "./usage.ts";

/** A whole message as a client of this wire gets it. The first choice only: its clients cannot ask for more. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonObject {
  const [choice] = answer.choices;
  if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
  const calls = choice.parts.some(({ kind }) => kind === "tool-call");
  const usage = renderUsage(answer.usage ?? { inputTokens: context.inputTokens });
  return {
    id: context.answerId,
    type: "message",
    role: "assistant",
    model: context.model,
    content: allAnswerBlocks(choice.parts),
    stop_reason: stopReasonOf(choice.finish, calls),
    stop_sequence: choice.stopSequence ?? null,
    usage: present({ ...usage, service_tier: tierWord(answer.serviceTier) }),
  };
}
