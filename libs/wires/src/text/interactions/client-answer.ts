import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import { answerSteps } from "./parts.ts";
import { renderUsage } from "./usage.ts";
import { endingOf } from "./vendor-answer.ts";

/** Renders a complete interaction. Clients cannot request several choices. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonRecord {
  const [choice] = answer.choices;
  if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
  const { status, steps } = endingOf(choice.finish);
  return interactionOf(context, {
    status,
    steps: [...choice.parts.flatMap(answerSteps), ...steps],
    usage: answer.usage,
    serviceTier: answer.serviceTier,
  });
}

interface InteractionState {
  readonly status: string;
  readonly steps?: readonly JsonRecord[] | undefined;
  readonly usage?: Units | undefined;
  readonly serviceTier?: string | undefined;
}

/** Renders the interaction object, for an answer or an event. */
export function interactionOf(context: AnswerContext, { usage, serviceTier, ...state }: InteractionState): JsonRecord {
  const { model, requestBody, answerId } = context;
  return withoutUndefined({
    id: answerId,
    object: "interaction",
    [requestBody["agent"] === undefined ? "model" : "agent"]: model,
    previous_interaction_id: requestBody["previous_interaction_id"] ?? undefined,
    created: new Date(context.now * 1_000).toISOString(),
    updated: new Date().toISOString(),
    ...state,
    service_tier: serviceTier === "default" ? "standard" : serviceTier,
    usage: usage === undefined ? undefined : renderUsage(usage),
  });
}
