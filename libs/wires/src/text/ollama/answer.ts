import { Failure, totalInputTokens, totalOutputTokens, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { completionFinishReasons, type Choice, type TextAnswer, type FinishReason } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import { logProbability } from "../hub/content.ts";
import type { ToolCallPart } from "../hub/part.ts";
import { parseArguments } from "../hub/tool-calls.ts";

/** Creates the function that renders a complete answer. Clients cannot request several choices. */
export function answerRenderer(form: AnswerForm): (answer: TextAnswer, context: AnswerContext) => JsonRecord {
  return ({ choices: [choice], usage }, { model, now, elapsedMs }) => {
    if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
    const probabilities = choice.parts.flatMap((part) => (part.kind === "text" ? (part.logProbabilities ?? []) : []));
    return {
      model,
      created_at: timeOf(now),
      ...form(contentOf(choice)),
      logprobs: probabilities.length === 0 ? undefined : probabilities.map(logProbability),
      ...lastMembers(choice.finish, usage, { total: elapsedMs?.() ?? 0 }),
    };
  };
}

export function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

function contentOf({ parts }: Choice): OllamaContent {
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

export interface OllamaContent {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly calls?: readonly JsonRecord[] | undefined;
  readonly images?: readonly string[] | undefined;
}

/** Renders the members that contain an answer's content. */
export type AnswerForm = (content: OllamaContent) => JsonRecord;

export const chatForm: AnswerForm = ({ text = "", thinking, calls, images }) => ({
  message: { role: "assistant", content: text, thinking, tool_calls: calls, images },
});

export const generateForm: AnswerForm = ({ text = "", thinking }) => ({ response: text, thinking });

export function renderCall(
  call: Pick<ToolCallPart, "id" | "name" | "arguments" | "custom">,
  index: number,
): JsonRecord {
  return { id: call.id, function: { index, name: call.name, arguments: parseArguments(call) } };
}

const nanosecondsPerMillisecond = 1_000_000;

/** Renders the members of an answer's last line. Durations are in nanoseconds. */
export function lastMembers(
  finish: FinishReason,
  usage: Units | undefined,
  { total, untilFirstText = 0 }: { readonly total: number; readonly untilFirstText?: number | undefined },
): JsonRecord {
  return {
    done: true,
    done_reason: completionFinishReasons[finish],
    total_duration: nanoseconds(total),
    load_duration: 0,
    prompt_eval_count: usage === undefined ? undefined : totalInputTokens(usage),
    prompt_eval_duration: nanoseconds(untilFirstText),
    eval_count: usage === undefined ? undefined : totalOutputTokens(usage),
    eval_duration: nanoseconds(total - untilFirstText),
  };
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * nanosecondsPerMillisecond);
}

const forms = { "ollama-chat": chatForm, "ollama-generate": generateForm } as const;

/** Renders the answer to a request without a message. With such requests, clients load a model. */
export function renderLoaded(
  wire: keyof typeof forms,
  { model, now }: { readonly model: string; readonly now: number },
): JsonRecord {
  return { model, created_at: timeOf(now), ...forms[wire]({}), done: true, done_reason: "load" };
}
