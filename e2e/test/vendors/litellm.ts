import type { Recording } from "./recording.ts";

/** What litellm answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.litellm.ai/docs/completion/output",
  model: "gpt-4o-mini",
  says: "Hello!",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "gpt-4o-mini",
    system_fingerprint: "fp_560af6e559",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hello!",
          tool_calls: null,
          function_call: null,
          provider_specific_fields: { refusal: null },
        },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 13,
      completion_tokens: 7,
      total_tokens: 20,
      prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  },
  units: { requests: 1, inputTokens: 13, outputTokens: 7 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-4o-mini",
      system_fingerprint: "fp_560af6e559",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello!" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-4o-mini",
      system_fingerprint: "fp_560af6e559",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-4o-mini",
      system_fingerprint: "fp_560af6e559",
      choices: [{ index: 0, delta: {} }],
      usage: { prompt_tokens: 13, completion_tokens: 8, total_tokens: 21 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 13, outputTokens: 8 },
};
