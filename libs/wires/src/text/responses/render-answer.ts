import { Failure } from "@modelgate/contracts";
import type { TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/codec.ts";
import type { JsonObject } from "../hub/request.ts";
import { replay } from "../hub/replay.ts";
import { PartWriter } from "./part-writer.ts";
import { endingOf } from "./endings.ts";
import { responseObject } from "./response-object.ts";

/**
 * The response object for a whole answer. Its output is built by what builds a stream's, in one go, so both
 * are the same by construction. The first choice only: this wire's clients cannot ask for more.
 */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonObject {
  const [choice] = answer.choices;
  if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
  const builder = new PartWriter(context, () => "");
  for (const event of replay(answer)) builder.take(event);
  builder.finish();
  const ending = endingOf(choice.finish, builder.refusedInWords);
  return responseObject(context, {
    ...ending,
    output: builder.output,
    usage: answer.usage,
    completedAt: ending.status === "completed" ? context.now : null,
    serviceTier: answer.serviceTier,
  });
}
