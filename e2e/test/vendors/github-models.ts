import type { Recording } from "./recording.ts";

/** What github-models answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.github.com/en/rest/models/inference",
  model: "openai/gpt-4.1",
  says: "Paris.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "openai/gpt-4.1",
    system_fingerprint: "fp_07e970ab25",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Paris.", refusal: null, annotations: [] },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 14,
      completion_tokens: 2,
      total_tokens: 16,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
  },
  units: { requests: 1, inputTokens: 14, outputTokens: 2 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-4.1",
      system_fingerprint: "fp_07e970ab25",
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-4.1",
      system_fingerprint: "fp_07e970ab25",
      choices: [{ index: 0, delta: { role: "assistant", content: "", refusal: null }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-4.1",
      system_fingerprint: "fp_07e970ab25",
      choices: [{ index: 0, delta: { content: "Paris." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-4.1",
      system_fingerprint: "fp_07e970ab25",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-4.1",
      system_fingerprint: "fp_07e970ab25",
      choices: [],
      usage: { prompt_tokens: 14, completion_tokens: 3, total_tokens: 17 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 14, outputTokens: 3 },
};
