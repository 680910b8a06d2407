import type { Recording } from "./recording.ts";

/** What sambanova answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.sambanova.ai/docs/en/features/openai-compatibility",
  model: "Meta-Llama-3.3-70B-Instruct",
  says: "Once upon a time.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "Meta-Llama-3.3-70B-Instruct",
    system_fingerprint: "fastcoe",
    choices: [{ index: 0, message: { role: "assistant", content: "Once upon a time." }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 47,
      completion_tokens: 120,
      total_tokens: 167,
      acceptance_rate: 2.1,
      completion_tokens_per_sec: 470.3,
      is_last_response: true,
      stop_reason: "stop",
      time_to_first_token: 0.12,
    },
  },
  units: { requests: 1, inputTokens: 47, outputTokens: 120 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Meta-Llama-3.3-70B-Instruct",
      system_fingerprint: "fastcoe",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Meta-Llama-3.3-70B-Instruct",
      system_fingerprint: "fastcoe",
      choices: [{ index: 0, delta: { content: "Once upon a time." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Meta-Llama-3.3-70B-Instruct",
      system_fingerprint: "fastcoe",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Meta-Llama-3.3-70B-Instruct",
      system_fingerprint: "fastcoe",
      choices: [],
      usage: {
        prompt_tokens: 47,
        completion_tokens: 121,
        total_tokens: 168,
        is_last_response: true,
        total_latency: 0.4,
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 47, outputTokens: 121 },
};
