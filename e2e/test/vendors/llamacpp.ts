import type { Recording } from "./recording.ts";

/** What llamacpp answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
  model: "ggml-org/gemma-3-4b-it",
  says: "Hello there.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "ggml-org/gemma-3-4b-it",
    system_fingerprint: "b6700-0123abcd",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello there.", reasoning_content: "Greet." },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17, prompt_tokens_details: { cached_tokens: 5 } },
    timings: { prompt_n: 6, cache_n: 5, predicted_n: 6 },
  },
  units: { requests: 1, inputTokens: 6, outputTokens: 6, cachedInputTokens: 5 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ggml-org/gemma-3-4b-it",
      system_fingerprint: "b6700-0123abcd",
      choices: [{ index: 0, delta: { role: "assistant", content: null }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ggml-org/gemma-3-4b-it",
      system_fingerprint: "b6700-0123abcd",
      choices: [{ index: 0, delta: { content: "Hello there." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ggml-org/gemma-3-4b-it",
      system_fingerprint: "b6700-0123abcd",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ggml-org/gemma-3-4b-it",
      system_fingerprint: "b6700-0123abcd",
      choices: [],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      timings: { prompt_n: 11, predicted_n: 7, predicted_per_second: 60.1 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 11, outputTokens: 7 },
};
