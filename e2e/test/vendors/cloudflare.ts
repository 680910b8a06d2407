import type { Recording } from "./recording.ts";

/** What cloudflare answers, in our own words. */
export const recording: Recording = {
  source: "https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/",
  model: "@cf/meta/llama-3.1-8b-instruct",
  says: "Hello, world.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "@cf/meta/llama-3.1-8b-instruct",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello, world." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 26, completion_tokens: 8, total_tokens: 34 },
  },
  units: { requests: 1, inputTokens: 26, outputTokens: 8 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "@cf/meta/llama-3.1-8b-instruct",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello, " }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "@cf/meta/llama-3.1-8b-instruct",
      choices: [{ index: 0, delta: { content: "world." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "@cf/meta/llama-3.1-8b-instruct",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "@cf/meta/llama-3.1-8b-instruct",
      choices: [],
      usage: { prompt_tokens: 26, completion_tokens: 9, total_tokens: 35 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 26, outputTokens: 9 },
};
