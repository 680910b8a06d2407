import type { Recording } from "./recording.ts";

/** What modelgate answers, in our own words. */
export const recording: Recording = {
  source: "docs/clients/index.md",
  model: "gpt-5-mini",
  says: "Hello.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "gpt-5-mini",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello.", refusal: null }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 12,
      total_tokens: 21,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 8 },
    },
  },
  units: { requests: 1, inputTokens: 5, outputTokens: 12, cachedInputTokens: 4, reasoningTokens: 8 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-5-mini",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-5-mini",
      choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-5-mini",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-5-mini",
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 13,
        total_tokens: 22,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 9 },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 9, outputTokens: 13, reasoningTokens: 9 },
};
