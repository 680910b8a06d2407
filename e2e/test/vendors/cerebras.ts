import type { Recording } from "./recording.ts";

/** What cerebras answers, in our own words. */
export const recording: Recording = {
  source:
    "https://github.com/pydantic/pydantic-ai/tree/main/tests/models/cassettes/test_cerebras/test_cerebras_thinking_part_survives_multiturn.yaml",
  model: "gpt-oss-120b",
  says: "4",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "gpt-oss-120b",
    system_fingerprint: "fp_70185065a4ddd0ee1d40",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "4", reasoning: "Probably straightforward." },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 79,
      completion_tokens: 37,
      total_tokens: 116,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { accepted_prediction_tokens: 0, rejected_prediction_tokens: 0, reasoning_tokens: 25 },
    },
    time_info: { queue_time: 0.0001, prompt_time: 0.002, completion_time: 0.01, total_time: 0.02 },
  },
  units: { requests: 1, inputTokens: 79, outputTokens: 37, reasoningTokens: 25 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-oss-120b",
      system_fingerprint: "fp_70185065a4ddd0ee1d40",
      choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-oss-120b",
      system_fingerprint: "fp_70185065a4ddd0ee1d40",
      choices: [{ index: 0, delta: { reasoning: "Easy." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-oss-120b",
      system_fingerprint: "fp_70185065a4ddd0ee1d40",
      choices: [{ index: 0, delta: { content: "4" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-oss-120b",
      system_fingerprint: "fp_70185065a4ddd0ee1d40",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 79,
        completion_tokens: 41,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 27 },
      },
      time_info: { queue_time: 0.0002, total_time: 0.01 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 15, outputTokens: 41, cachedInputTokens: 64, reasoningTokens: 27 },
};
