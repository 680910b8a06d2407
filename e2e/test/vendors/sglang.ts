import type { Recording } from "./recording.ts";

/** What sglang answers, in our own words: the whole answer is an output of its documentation's notebook, the stream is recorded in sgl-project/sglang#4550 but for its last chunk. */
export const recording: Recording = {
  source: "https://docs.sglang.ai/basic_usage/openai_api_vision.html",
  model: "qwen/qwen2.5-0.5b-instruct",
  says: "The capital of France is Paris.",
  whole: {
    id: "23bd9016bec74972816c5715b3ba6767",
    object: "chat.completion",
    created: 1759136880,
    model: "qwen/qwen2.5-0.5b-instruct",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "The capital of France is Paris.",
          reasoning_content: null,
          tool_calls: null,
        },
        logprobs: null,
        finish_reason: "stop",
        matched_stop: 151645,
      },
    ],
    usage: {
      prompt_tokens: 36,
      total_tokens: 44,
      completion_tokens: 8,
      prompt_tokens_details: null,
      reasoning_tokens: 0,
    },
    metadata: {
      weight_version: "default",
    },
  },
  units: {
    requests: 1,
    inputTokens: 36,
    outputTokens: 8,
  },
  stream: [
    {
      id: "93b6717481cf45c284841fac5c3af2a3",
      object: "chat.completion.chunk",
      created: 1742289669,
      model: "qwen/qwen2.5-0.5b-instruct",
      choices: [
        {
          index: 0,
          delta: {
            role: "assistant",
            content: "",
            reasoning_content: null,
            tool_calls: null,
          },
          logprobs: null,
          finish_reason: null,
          matched_stop: null,
        },
      ],
      usage: null,
    },
    {
      id: "93b6717481cf45c284841fac5c3af2a3",
      object: "chat.completion.chunk",
      created: 1742289669,
      model: "qwen/qwen2.5-0.5b-instruct",
      choices: [
        {
          index: 0,
          delta: {
            role: null,
            content: "The capital of France",
            reasoning_content: null,
            tool_calls: null,
          },
          logprobs: null,
          finish_reason: null,
          matched_stop: null,
        },
      ],
      usage: null,
    },
    {
      id: "93b6717481cf45c284841fac5c3af2a3",
      object: "chat.completion.chunk",
      created: 1742289669,
      model: "qwen/qwen2.5-0.5b-instruct",
      choices: [
        {
          index: 0,
          delta: {
            role: null,
            content: " is Paris.",
            reasoning_content: null,
            tool_calls: null,
          },
          logprobs: null,
          finish_reason: null,
          matched_stop: null,
        },
      ],
      usage: null,
    },
    {
      id: "93b6717481cf45c284841fac5c3af2a3",
      object: "chat.completion.chunk",
      created: 1742289669,
      model: "qwen/qwen2.5-0.5b-instruct",
      choices: [
        {
          index: 0,
          delta: {
            role: null,
            content: null,
            reasoning_content: null,
            tool_calls: null,
          },
          logprobs: null,
          finish_reason: "stop",
          matched_stop: 151645,
        },
      ],
      usage: null,
    },
    {
      id: "93b6717481cf45c284841fac5c3af2a3",
      object: "chat.completion.chunk",
      created: 1742289669,
      model: "qwen/qwen2.5-0.5b-instruct",
      choices: [],
      usage: {
        prompt_tokens: 36,
        total_tokens: 48,
        completion_tokens: 12,
        prompt_tokens_details: {
          cached_tokens: 8,
        },
        reasoning_tokens: 3,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 28,
    cachedInputTokens: 8,
    outputTokens: 12,
    reasoningTokens: 3,
  },
};
