import type { Recording } from "./recording.ts";

/** What vllm answers, in our own words: both answers are recorded, the last chunk of the stream is by the documentation. */
export const recording: Recording = {
  source: "https://github.com/ogx-ai/ogx/tree/main/tests/integration/inference/recordings",
  model: "Qwen/Qwen3-0.6B",
  says: "<think>\nNo data.\n</think>\n\nAsk a weather service.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "Qwen/Qwen3-0.6B",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "<think>\nNo data.\n</think>\n\nAsk a weather service.",
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
          tool_calls: [],
          reasoning_content: null,
        },
        logprobs: null,
        finish_reason: "stop",
        stop_reason: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage: {
      prompt_tokens: 33,
      total_tokens: 187,
      completion_tokens: 154,
      prompt_tokens_details: null,
    },
    prompt_logprobs: null,
    kv_transfer_params: null,
  },
  units: {
    requests: 1,
    inputTokens: 33,
    outputTokens: 154,
  },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-0.6B",
      choices: [
        {
          index: 0,
          delta: {
            role: "assistant",
            content: "",
          },
          logprobs: null,
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-0.6B",
      choices: [
        {
          index: 0,
          delta: {
            content: "<think>",
          },
          logprobs: null,
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-0.6B",
      choices: [
        {
          index: 0,
          delta: {
            content: "\nNo data.\n</think>\n\n",
          },
          logprobs: null,
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-0.6B",
      choices: [
        {
          index: 0,
          delta: {
            content: "Ask a weather service.",
          },
          logprobs: null,
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-0.6B",
      choices: [
        {
          index: 0,
          delta: {
            content: "",
          },
          logprobs: null,
          finish_reason: "stop",
          stop_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-0.6B",
      choices: [],
      usage: {
        prompt_tokens: 33,
        total_tokens: 187,
        completion_tokens: 154,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 33,
    outputTokens: 154,
  },
};
