import { tokenTexts } from "../../core/tokens.ts";
import { freshId, nowSeconds } from "../../core/ids.ts";
import type { Answer } from "../../core/answer.ts";
import type { ToolCall } from "../../core/asked-calls.ts";
import type { ChatAsked } from "./read.ts";

/** The members that all chunks of an answer share. */
export function headOf(object: string, model: string): object {
  return { id: freshId("chatcmpl-"), object, created: nowSeconds(), model, system_fingerprint: null };
}

/** A whole chat completion. */
export function renderAnswer(asked: ChatAsked, answer: Answer): object {
  const usage = renderUsage(answer);
  return {
    ...headOf("chat.completion", asked.question.model),
    service_tier: "default",
    choices: Array.from({ length: asked.question.choices }, (_, index) => ({
      index,
      message: messageOf(asked, answer),
      logprobs: renderLogprobs(answer.text, asked.topLogprobs),
      finish_reason: finishOf(asked, answer),
    })),
    ...(usage && { usage }),
  };
}

function messageOf(
  { question, legacy, showsThoughts }: ChatAsked,
  { text, refuses, thoughts, calls, image }: Answer,
): object {
  const [first] = calls;
  const toolCalls = calls.map((call) => ({ id: freshId("call_"), ...calledAs(question, call) }));
  return {
    role: "assistant",
    content: refuses ? null : (text ?? null),
    refusal: refuses ? (text ?? null) : null,
    annotations: [],
    ...(thoughts !== undefined && showsThoughts && { reasoning_content: thoughts }),
    ...(image && { images: [imagePart(image)] }),
    ...(first !== undefined && (legacy ? { function_call: first } : { tool_calls: toolCalls })),
  };
}

/** A call as a function's or a custom tool's, by what was offered. */
export function calledAs({ tools }: ChatAsked["question"], call: ToolCall): object {
  const custom = tools.some(({ name, custom }) => name === call.name && custom === true);
  return custom
    ? { type: "custom", custom: { name: call.name, input: call.arguments } }
    : { type: "function", function: call };
}

export function imagePart(image: Buffer): object {
  return { type: "image_url", image_url: { url: `data:image/png;base64,${image.toString("base64")}` } };
}

/** Why it ended; a call of the old kind has a word of its own. */
export function finishOf({ legacy }: ChatAsked, { finish }: Answer): string {
  return legacy && finish === "tool_calls" ? "function_call" : finish;
}

const likely = -0.125;

/** The probabilities of a text's tokens: each the same, alternatives each half as likely as the one before. */
export function renderLogprobs(text: string | undefined, top: number | undefined): object | null {
  if (text === undefined || top === undefined) return null;
  const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
  return {
    content: tokenTexts(text).map((token) => ({
      ...entry(token, likely),
      top_logprobs: Array.from({ length: top }, (_, at) => entry(at === 0 ? token : `other${at}`, likely - at)),
    })),
    refusal: null,
  };
}

/** The usage object of chat and text completions; undefined where the vendor is to report none. */
export function renderUsage({ counts, usage }: Answer): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = counts;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      audio_tokens: 0,
      ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
