import type { Behaviour } from "../../behaviour.ts";
import { Refusal } from "../../checks/refusal.ts";
import type { Answer } from "../../core/answer.ts";
import { freshId } from "../../core/ids.ts";
import { halvesOf, piecesOf } from "../../core/tokens.ts";
import type { Frame, Streamed } from "../../stream.ts";
import { renderError } from "../errors.ts";
import type { ChatAsked } from "./read.ts";
import { calledAs, finishOf, headOf, imagePart, renderLogprobs, renderUsage } from "./render.ts";

/** A streamed chat completion: a role, thoughts, words and calls in pieces, a finish, usage if asked, and the end. */
export function streamAnswer(asked: ChatAsked, answer: Answer, behaviour: Behaviour): Streamed {
  return { frames: framesOf(asked, answer, behaviour), error: errorFrame };
}

/** A failure while a stream of this vendor runs. */
export function errorFrame(message: string): Frame {
  return { data: JSON.stringify(renderError(new Refusal(500, message))) };
}

export const doneFrame: Frame = { data: "[DONE]", last: true };

function* framesOf(asked: ChatAsked, answer: Answer, { chunks }: Behaviour): Generator<Frame> {
  const head = headOf("chat.completion.chunk", asked.question.model);
  const every = Array.from({ length: asked.question.choices }, (_, index) => index);
  const chunk = (index: number, delta: object, { finish = null, logprobs = null }: Ending = {}): string =>
    JSON.stringify({
      ...head,
      choices: [{ index, delta, logprobs, finish_reason: finish }],
      ...(asked.includeUsage && { usage: null }),
    });
  const content = answer.text === undefined ? null : "";
  for (const index of every) yield { data: chunk(index, { role: "assistant", content, refusal: null }) };
  for (const piece of answer.thoughts === undefined || !asked.showsThoughts ? [] : piecesOf(answer.thoughts))
    for (const index of every) yield { data: chunk(index, { reasoning_content: piece }), content: true };
  for (const piece of answer.text === undefined ? [] : piecesOf(answer.text, chunks))
    for (const index of every) {
      const logprobs = renderLogprobs(piece, asked.topLogprobs);
      yield { data: chunk(index, { [wordsIn(answer)]: piece }, { logprobs }), content: true };
    }
  for (const delta of extrasOf(asked, answer))
    for (const index of every) yield { data: chunk(index, delta), content: true };
  for (const index of every) yield { data: chunk(index, {}, { finish: finishOf(asked, answer) }) };
  const usage = asked.includeUsage ? renderUsage(answer) : undefined;
  if (usage !== undefined) yield { data: JSON.stringify({ ...head, choices: [], usage }) };
  yield doneFrame;
}

/** The member that holds the words. */
function wordsIn({ refuses }: Answer): "content" | "refusal" {
  return refuses ? "refusal" : "content";
}

interface Ending {
  readonly finish?: string | null;
  readonly logprobs?: object | null;
}

/** A picture, then the calls: each begins with its name and goes on with its arguments. */
function* extrasOf({ question, legacy }: ChatAsked, { image, calls }: Answer): Generator<object> {
  if (image !== undefined) yield { images: [imagePart(image)] };
  for (const [index, call] of calls.entries()) {
    if (legacy) {
      yield { function_call: { name: call.name, arguments: "" } };
      for (const piece of halvesOf(call.arguments)) yield { function_call: { arguments: piece } };
      continue;
    }
    yield {
      tool_calls: [{ index, id: freshId("call_"), ...calledAs(question, { name: call.name, arguments: "" }) }],
    };
    const custom = "custom" in calledAs(question, call);
    for (const piece of halvesOf(call.arguments))
      yield {
        tool_calls: [{ index, ...(custom ? { custom: { input: piece } } : { function: { arguments: piece } }) }],
      };
  }
}
