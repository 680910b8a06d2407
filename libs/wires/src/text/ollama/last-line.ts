import { inputTotal, outputTotal, type Units } from "@modelgate/contracts";
import type { FinishReason } from "../hub/answer.ts";
import type { JsonObject } from "../hub/request.ts";
import { finishWords } from "./endings.ts";

const nanosecondsPerMillisecond = 1_000_000;

/** How long an answer took, in milliseconds; until its first words, where they are known. */
export interface Took {
  readonly total: number;
  readonly untilWords?: number | undefined;
}

/** What the last line of an answer says beside its words. No model is loaded for a call, so that takes no time. */
export function lastMembers(
  finish: FinishReason,
  usage: Units | undefined,
  { total, untilWords = 0 }: Took,
): JsonObject {
  return {
    done: true,
    done_reason: finishWords[finish],
    total_duration: nanoseconds(total),
    load_duration: 0,
    prompt_eval_count: usage === undefined ? undefined : inputTotal(usage),
    prompt_eval_duration: nanoseconds(untilWords),
    eval_count: usage === undefined ? undefined : outputTotal(usage),
    eval_duration: nanoseconds(total - untilWords),
  };
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * nanosecondsPerMillisecond);
}
