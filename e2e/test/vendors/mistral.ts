import type { Recording } from "./recording.ts";

/** What mistral answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/vercel/ai/tree/main/packages/mistral/src/__fixtures__/mistral-reasoning.json",
  model: "magistral-medium-2507",
  says: "2 + 2 = 4",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "magistral-medium-2507",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "Basic arithmetic." }] },
            { type: "text", text: "2 + 2 = 4" },
          ],
        },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 46, total_tokens: 56 },
  },
  units: { requests: 1, inputTokens: 10, outputTokens: 46 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "magistral-medium-2507",
      choices: [
        {
          index: 0,
          delta: {
            role: "assistant",
            content: [{ type: "thinking", thinking: [{ type: "text", text: "Basic arithmetic." }] }],
          },
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "magistral-medium-2507",
      choices: [{ index: 0, delta: { content: [{ type: "text", text: "2 + 2 = 4" }] }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "magistral-medium-2507",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 46, total_tokens: 56 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 10, outputTokens: 46 },
};
