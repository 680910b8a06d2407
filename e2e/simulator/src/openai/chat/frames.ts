import type { Behaviour } from "../../behaviour.ts";
import { Refusal } from "../../checks/refusal.ts";
import type { Answer } from "../../core/answer.ts";
import { freshId } from "../../core/ids.ts";
import { halvesOf, piecesOf } from "../../core/tokens.ts";
import type { Frame, Streamed } from "../../stream.ts";
import { renderError } from "../errors.ts";
import type { ChatRequest } from "./read.ts";
import { calledAs, finishOf, headOf, imagePart, renderLogprobs, renderUsage } from "./render.ts";

/** Renders a streamed chat completion. */
export function streamAnswer(request: ChatRequest, answer: Answer, behaviour: Behaviour): Streamed {
  return { frames: framesOf(request, answer, behaviour), error: errorFrame };
}

/** Returns the frame of a failure. */
export function errorFrame(message: string): Frame {
  return { data: JSON.stringify(renderError(new Refusal(500, message))) };
}

export const doneFrame: Frame = { data: "[DONE]", last: true };

function* framesOf(request: ChatRequest, answer: Answer, { chunks }: Behaviour): Generator<Frame> {
  const head = headOf("chat.completion.chunk", request.question.model);
  const every = Array.from({ length: request.question.choices }, (_, index) => index);
  const chunk = (index: number, delta: object, { finish = null, logprobs = null }: Ending = {}): string =>
    JSON.stringify({
      ...head,
      choices: [{ index, delta, logprobs, finish_reason: finish }],
      ...(request.includeUsage && { usage: null }),
    });
  const content = answer.text === undefined ? null : "";
  for (const index of every) yield { data: chunk(index, { role: "assistant", content, refusal: null }) };
  for (const piece of answer.thoughts === undefined || !request.showsThoughts ? [] : piecesOf(answer.thoughts))
    for (const index of every) yield { data: chunk(index, { reasoning_content: piece }), content: true };
  for (const piece of answer.text === undefined ? [] : piecesOf(answer.text, chunks))
    for (const index of every) {
      const logprobs = renderLogprobs(piece, request.topLogprobs);
      yield { data: chunk(index, { [textField(answer)]: piece }, { logprobs }), content: true };
    }
  for (const delta of pictureAndCalls(request, answer))
    for (const index of every) yield { data: chunk(index, delta), content: true };
  for (const index of every) yield { data: chunk(index, {}, { finish: finishOf(request, answer) }) };
  const usage = request.includeUsage ? renderUsage(answer) : undefined;
  if (usage !== undefined) yield { data: JSON.stringify({ ...head, choices: [], usage }) };
  yield doneFrame;
}

function textField({ refuses }: Answer): "content" | "refusal" {
  return refuses ? "refusal" : "content";
}

interface Ending {
  readonly finish?: string | null;
  readonly logprobs?: object | null;
}

/** Yields a picture, then the calls in pieces. */
function* pictureAndCalls({ question, legacy }: ChatRequest, { image, calls }: Answer): Generator<object> {
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
