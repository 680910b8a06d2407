import type { Recording } from "./recording.ts";

/** What deepseek answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/vercel/ai/tree/main/packages/deepseek/src/chat/__fixtures__/deepseek-reasoning.json",
  model: "deepseek-reasoner",
  says: "Three.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "deepseek-reasoner",
    system_fingerprint: "fp_eaab8d114b_prod0820_fp8_kvcache",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Three.", reasoning_content: "We count the letters." },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 18,
      completion_tokens: 345,
      total_tokens: 363,
      completion_tokens_details: { reasoning_tokens: 315 },
      prompt_cache_hit_tokens: 8,
      prompt_cache_miss_tokens: 10,
    },
  },
  units: { requests: 1, inputTokens: 10, outputTokens: 345, cachedInputTokens: 8, reasoningTokens: 315 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-reasoner",
      system_fingerprint: "fp_eaab8d114b_prod0820_fp8_kvcache",
      choices: [
        { index: 0, delta: { role: "assistant", content: null, reasoning_content: "We count." }, finish_reason: null },
      ],
      usage: null,
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-reasoner",
      system_fingerprint: "fp_eaab8d114b_prod0820_fp8_kvcache",
      choices: [{ index: 0, delta: { content: "Three.", reasoning_content: null }, finish_reason: null }],
      usage: null,
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-reasoner",
      system_fingerprint: "fp_eaab8d114b_prod0820_fp8_kvcache",
      choices: [{ index: 0, delta: { content: "", reasoning_content: null }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 18,
        completion_tokens: 219,
        total_tokens: 237,
        completion_tokens_details: { reasoning_tokens: 205 },
        prompt_cache_hit_tokens: 0,
        prompt_cache_miss_tokens: 18,
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 18, outputTokens: 219, reasoningTokens: 205 },
};
