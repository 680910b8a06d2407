import { tokenTexts } from "../../core/tokens.ts";
import { freshId, nowSeconds } from "../../core/ids.ts";
import type { Answer } from "../../core/answer.ts";
import type { ToolCall } from "../../core/requested-calls.ts";
import type { ChatRequest } from "./read.ts";

/** Returns the common members of all chunks. */
export function headOf(object: string, model: string): object {
  return { id: freshId("chatcmpl-"), object, created: nowSeconds(), model, system_fingerprint: null };
}

/** Renders a complete chat completion. */
export function renderAnswer(request: ChatRequest, answer: Answer): object {
  const usage = renderUsage(answer);
  return {
    ...headOf("chat.completion", request.question.model),
    service_tier: "default",
    choices: Array.from({ length: request.question.choices }, (_, index) => ({
      index,
      message: messageOf(request, answer),
      logprobs: renderLogprobs(answer.text, request.topLogprobs),
      finish_reason: finishOf(request, answer),
    })),
    ...(usage && { usage }),
  };
}

function messageOf(
  { question, legacy, showsThoughts }: ChatRequest,
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

export function calledAs({ tools }: ChatRequest["question"], call: ToolCall): object {
  const custom = tools.some(({ name, custom }) => name === call.name && custom === true);
  return custom
    ? { type: "custom", custom: { name: call.name, input: call.arguments } }
    : { type: "function", function: call };
}

export function imagePart(image: Buffer): object {
  return { type: "image_url", image_url: { url: `data:image/png;base64,${image.toString("base64")}` } };
}

/** Returns the finish reason. It differs for the older `function_call`. */
export function finishOf({ legacy }: ChatRequest, { finish }: Answer): string {
  return legacy && finish === "tool_calls" ? "function_call" : finish;
}

const tokenLogprob = -0.125;

/** Renders log probabilities. All tokens have the same one. */
export function renderLogprobs(text: string | undefined, top: number | undefined): object | null {
  if (text === undefined || top === undefined) return null;
  const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
  return {
    content: tokenTexts(text).map((token) => ({
      ...entry(token, tokenLogprob),
      top_logprobs: Array.from({ length: top }, (_, at) => entry(at === 0 ? token : `other${at}`, tokenLogprob - at)),
    })),
    refusal: null,
  };
}

/** Returns the usage of chat and text completions; undefined if none is reported. */
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
