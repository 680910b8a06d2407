import type { Recording } from "./recording.ts";

/** What volcengine answers, in our own words. */
export const recording: Recording = {
  source: "https://www.volcengine.com/docs/82379/1494384",
  model: "doubao-seed-1-6-250615",
  says: "Hello.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "doubao-seed-1-6-250615",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello.", reasoning_content: "A greeting." },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 92,
      completion_tokens: 188,
      total_tokens: 280,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 170 },
    },
    service_tier: "default",
  },
  units: { requests: 1, inputTokens: 28, outputTokens: 188, cachedInputTokens: 64, reasoningTokens: 170 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "doubao-seed-1-6-250615",
      choices: [
        { index: 0, delta: { role: "assistant", content: "", reasoning_content: "A greeting." }, finish_reason: null },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "doubao-seed-1-6-250615",
      choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "doubao-seed-1-6-250615",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "doubao-seed-1-6-250615",
      choices: [],
      usage: {
        prompt_tokens: 92,
        completion_tokens: 190,
        total_tokens: 282,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 171 },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 92, outputTokens: 190, reasoningTokens: 171 },
};
