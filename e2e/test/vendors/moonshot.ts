import type { Recording } from "./recording.ts";

/** What moonshot answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/vercel/ai/tree/main/packages/moonshotai/src/__fixtures__/moonshotai-reasoning.json",
  model: "kimi-k2.6",
  says: "There are three.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "kimi-k2.6",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "There are three.", reasoning_content: "Count carefully." },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 30,
      total_tokens: 50,
      cached_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 22 },
    },
  },
  units: { requests: 1, inputTokens: 10, outputTokens: 30, cachedInputTokens: 10, reasoningTokens: 22 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "kimi-k2.6",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "kimi-k2.6",
      choices: [{ index: 0, delta: { content: "There are three." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "kimi-k2.6",
      choices: [
        {
          index: 0,
          delta: {},
          finish_reason: "stop",
          usage: {
            prompt_tokens: 9,
            completion_tokens: 12,
            total_tokens: 21,
            cached_tokens: 4,
            completion_tokens_details: { reasoning_tokens: 7 },
          },
        },
      ],
    },
  ],
  streamUnits: { requests: 1, inputTokens: 5, outputTokens: 12, cachedInputTokens: 4, reasoningTokens: 7 },
};
