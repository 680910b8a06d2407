import type { Recording } from "./recording.ts";

/** What sglang answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.sglang.ai/basic_usage/openai_api_completions.html",
  model: "Qwen/Qwen3-30B-A3B",
  says: "Paris.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "Qwen/Qwen3-30B-A3B",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Paris.", reasoning_content: "France.", tool_calls: null },
        finish_reason: "stop",
        matched_stop: 151645,
        logprobs: null,
      },
    ],
    usage: {
      prompt_tokens: 17,
      completion_tokens: 48,
      total_tokens: 65,
      prompt_tokens_details: { cached_tokens: 16 },
      reasoning_tokens: 0,
    },
    metadata: { weight_version: "default" },
  },
  units: { requests: 1, inputTokens: 1, outputTokens: 48, cachedInputTokens: 16 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-30B-A3B",
      choices: [{ index: 0, delta: { role: "assistant", content: "", reasoning_content: null }, finish_reason: null }],
      usage: null,
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-30B-A3B",
      choices: [{ index: 0, delta: { content: "Paris." }, finish_reason: null }],
      usage: null,
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-30B-A3B",
      choices: [{ index: 0, delta: { content: null }, finish_reason: "stop" }],
      usage: null,
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-30B-A3B",
      choices: [],
      usage: {
        prompt_tokens: 17,
        completion_tokens: 49,
        total_tokens: 66,
        prompt_tokens_details: null,
        reasoning_tokens: 0,
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 17, outputTokens: 49 },
};
