import type { Recording } from "./recording.ts";

/** What Fireworks answers, in our own words: the whole answer is recorded (GitHub, created 1746977262), the stream is by the documentation. */
export const recording: Recording = {
  source: "https://docs.fireworks.ai/api-reference/post-chatcompletions",
  model: "accounts/fireworks/models/qwen3-30b-a3b",
  says: "Hello!",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1746977262,
    model: "accounts/fireworks/models/qwen3-30b-a3b",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 172, total_tokens: 290, completion_tokens: 118 },
  },
  units: { requests: 1, inputTokens: 172, outputTokens: 118 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "accounts/fireworks/models/qwen3-30b-a3b",
      choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "accounts/fireworks/models/qwen3-30b-a3b",
      choices: [{ index: 0, delta: { content: "Hello!" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "accounts/fireworks/models/qwen3-30b-a3b",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      usage: { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20, prompt_tokens_details: { cached_tokens: 0 } },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 11, outputTokens: 9 },
};
