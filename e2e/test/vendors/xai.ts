import type { Recording } from "./recording.ts";

/** What xai answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/vercel/ai/tree/main/packages/xai/src/__fixtures__/xai-text.json",
  model: "grok-3-mini",
  says: "Hello",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "grok-3-mini",
    system_fingerprint: "fp_2a885414fb",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello", reasoning_content: "A single word.", refusal: null },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 241,
      prompt_tokens_details: { text_tokens: 12, audio_tokens: 0, image_tokens: 0, cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 228, audio_tokens: 0 },
      num_sources_used: 0,
      cost_in_usd_ticks: 1176500,
    },
  },
  units: { requests: 1, inputTokens: 10, outputTokens: 229, cachedInputTokens: 2, reasoningTokens: 228 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "grok-3-mini",
      system_fingerprint: "fp_2a885414fb",
      choices: [{ index: 0, delta: { reasoning_content: "First", role: "assistant" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "grok-3-mini",
      system_fingerprint: "fp_2a885414fb",
      choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "grok-3-mini",
      system_fingerprint: "fp_2a885414fb",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "grok-3-mini",
      system_fingerprint: "fp_2a885414fb",
      choices: [],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 303,
        prompt_tokens_details: { text_tokens: 12, cached_tokens: 11 },
        completion_tokens_details: { reasoning_tokens: 290 },
        num_sources_used: 0,
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 1, outputTokens: 291, cachedInputTokens: 11, reasoningTokens: 290 },
};
