import type { Recording } from "./recording.ts";

/** What fireworks answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.fireworks.ai/api-reference/post-chatcompletions",
  model: "accounts/fireworks/models/deepseek-v3p1",
  says: "Hello!",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "accounts/fireworks/models/deepseek-v3p1",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20, prompt_tokens_details: { cached_tokens: 4 } },
  },
  units: { requests: 1, inputTokens: 7, outputTokens: 9, cachedInputTokens: 4 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "accounts/fireworks/models/deepseek-v3p1",
      choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "accounts/fireworks/models/deepseek-v3p1",
      choices: [{ index: 0, delta: { content: "Hello!" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "accounts/fireworks/models/deepseek-v3p1",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      usage: { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20, prompt_tokens_details: { cached_tokens: 0 } },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 11, outputTokens: 9 },
};
