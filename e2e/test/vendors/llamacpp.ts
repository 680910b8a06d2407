import type { Recording } from "./recording.ts";

/** What llama.cpp answers, in our own words: the whole answer is recorded, the stream in openai-php/client#780; its last chunk is by the documentation. */
export const recording: Recording = {
  source: "https://github.com/vllm-project/vllm/issues/40076",
  model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
  says: "Hello!",
  whole: {
    choices: [
      {
        finish_reason: "stop",
        index: 0,
        message: {
          role: "assistant",
          content: "Hello!",
          reasoning_content: "Greet.",
        },
      },
    ],
    created: 1781202801,
    model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
    system_fingerprint: "b1-22cadc1",
    object: "chat.completion",
    usage: {
      completion_tokens: 25,
      prompt_tokens: 68,
      total_tokens: 93,
      prompt_tokens_details: {
        cached_tokens: 60,
      },
    },
    id: "chatcmpl-1",
    timings: {
      cache_n: 60,
      prompt_n: 8,
      prompt_ms: 43.237,
      prompt_per_token_ms: 5.404625,
      prompt_per_second: 185.02671323172282,
      predicted_n: 25,
      predicted_ms: 238.74,
      predicted_per_token_ms: 9.5496,
      predicted_per_second: 104.71642791321104,
    },
  },
  units: {
    requests: 1,
    inputTokens: 8,
    cachedInputTokens: 60,
    outputTokens: 25,
  },
  stream: [
    {
      choices: [
        {
          finish_reason: null,
          index: 0,
          delta: {
            role: "assistant",
            content: null,
          },
        },
      ],
      created: 1781492230,
      id: "chatcmpl-1",
      model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
      system_fingerprint: "b1-22cadc1",
      object: "chat.completion.chunk",
    },
    {
      choices: [
        {
          finish_reason: null,
          index: 0,
          delta: {
            reasoning_content: "Greet.",
          },
        },
      ],
      created: 1781492230,
      id: "chatcmpl-1",
      model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
      system_fingerprint: "b1-22cadc1",
      object: "chat.completion.chunk",
      timings: {
        cache_n: 60,
        prompt_n: 8,
        predicted_n: 20,
        draft_n: 30,
        draft_n_accepted: 12,
      },
    },
    {
      choices: [
        {
          finish_reason: null,
          index: 0,
          delta: {
            content: "Hello!",
          },
        },
      ],
      created: 1781492230,
      id: "chatcmpl-1",
      model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
      system_fingerprint: "b1-22cadc1",
      object: "chat.completion.chunk",
      timings: {
        cache_n: 60,
        prompt_n: 8,
        predicted_n: 24,
        draft_n: 32,
        draft_n_accepted: 12,
      },
    },
    {
      choices: [
        {
          finish_reason: "stop",
          index: 0,
          delta: {},
        },
      ],
      created: 1781492230,
      id: "chatcmpl-1",
      model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
      system_fingerprint: "b1-22cadc1",
      object: "chat.completion.chunk",
    },
    {
      choices: [],
      created: 1781492230,
      id: "chatcmpl-1",
      model: "ggml-org_gpt-oss-20b-GGUF_gpt-oss-20b-mxfp4.gguf",
      system_fingerprint: "b1-22cadc1",
      object: "chat.completion.chunk",
      usage: {
        completion_tokens: 25,
        prompt_tokens: 68,
        total_tokens: 93,
        prompt_tokens_details: {
          cached_tokens: 60,
        },
      },
      timings: {
        cache_n: 60,
        prompt_n: 8,
        prompt_ms: 43.237,
        prompt_per_token_ms: 5.404625,
        prompt_per_second: 185.02671323172282,
        predicted_n: 25,
        predicted_ms: 238.74,
        predicted_per_token_ms: 9.5496,
        predicted_per_second: 104.71642791321104,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 8,
    cachedInputTokens: 60,
    outputTokens: 25,
  },
};
