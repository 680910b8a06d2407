import type { Behaviour } from "../behaviour.ts";
import { answerText, tokensOf, usageOf, type ChatAsked } from "./chat.ts";

let count = 0;
const base = (object: string, model: string) => ({
  id: `chatcmpl-sim${(++count).toString(36)}`,
  object,
  created: Math.floor(Date.now() / 1_000),
  model,
  system_fingerprint: null,
});

/** A whole chat completion. */
export function renderAnswer(asked: ChatAsked, behaviour: Behaviour): object {
  const text = answerText(asked, behaviour);
  const calls = behaviour.toolCalls?.map((call, at) => ({ id: `call_sim${at}`, type: "function", function: call }));
  const usage = usageOf(asked, behaviour, tokensOf(calls === undefined ? text : JSON.stringify(calls)));
  return {
    ...base("chat.completion", asked.model),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: calls === undefined ? text : null,
          refusal: null,
          annotations: [],
          ...(calls && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: behaviour.finishReason ?? (calls === undefined ? "stop" : "tool_calls"),
      },
    ],
    ...(usage && { usage }),
  };
}

/** The frames of a streamed chat completion: a role, content in pieces, a finish, usage if asked, and the end. */
export interface StreamFrames {
  readonly opening: string;
  readonly content: readonly string[];
  readonly closing: readonly string[];
}

const defaultChunks = 8;

export function renderFrames(asked: ChatAsked, behaviour: Behaviour): StreamFrames {
  const head = base("chat.completion.chunk", asked.model);
  const chunk = (delta: object, finish: string | null = null): string =>
    JSON.stringify({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(asked.includeUsage && { usage: null }),
    });
  const { toolCalls } = behaviour;
  const text = answerText(asked, behaviour);
  const content =
    toolCalls === undefined
      ? pieces(text, behaviour.chunks ?? Math.min(defaultChunks, text.length)).map((piece) => chunk({ content: piece }))
      : toolFrames(toolCalls, chunk);
  const usage = asked.includeUsage
    ? usageOf(asked, behaviour, tokensOf(toolCalls === undefined ? text : JSON.stringify(toolCalls)))
    : undefined;
  return {
    opening: chunk({ role: "assistant", content: toolCalls === undefined ? "" : null, refusal: null }),
    content,
    closing: [
      chunk({}, behaviour.finishReason ?? (toolCalls === undefined ? "stop" : "tool_calls")),
      ...(usage === undefined ? [] : [JSON.stringify({ ...head, choices: [], usage })]),
      ...(behaviour.noDone === true ? [] : ["[DONE]"]),
    ],
  };
}

/** A text in so many pieces; a text shorter than that is repeated, so that a benchmark gets its chunks. */
function pieces(text: string, wanted: number): readonly string[] {
  if (wanted === 0) return [];
  const letters = Array.from(text);
  if (letters.length < wanted)
    return Array.from({ length: wanted }, (_, at) => letters[at % Math.max(1, letters.length)] ?? "x");
  return Array.from({ length: wanted }, (_, at) =>
    letters
      .slice(Math.floor((at * letters.length) / wanted), Math.floor(((at + 1) * letters.length) / wanted))
      .join(""),
  );
}

function toolFrames(calls: NonNullable<Behaviour["toolCalls"]>, chunk: (delta: object) => string): readonly string[] {
  return calls.flatMap(({ name, arguments: text }, index) => {
    const half = Math.ceil(text.length / 2);
    return [
      chunk({ tool_calls: [{ index, id: `call_sim${index}`, type: "function", function: { name, arguments: "" } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
    ];
  });
}

/** An error body of this vendor. */
export function renderError(status: number, code: string | undefined, message: string | undefined): object {
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message: message ?? `simulated ${status}`, type, param: null, code: code ?? null } };
}
