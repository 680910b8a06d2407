import type { Recording } from "./recording.ts";

/** What together answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.together.ai/reference/chat-completions-1",
  model: "openai/gpt-oss-20b",
  says: "New York.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "openai/gpt-oss-20b",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "New York.", tool_calls: [], reasoning: "The user wants a city." },
        finish_reason: "stop",
        seed: 3859899181302555600,
      },
    ],
    usage: { prompt_tokens: 70, completion_tokens: 24, total_tokens: 94, cached_tokens: 64 },
    prompt: [],
  },
  units: { requests: 1, inputTokens: 6, outputTokens: 24, cachedInputTokens: 64 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      choices: [
        {
          index: 0,
          delta: { role: "assistant", content: "", reasoning: "A city.", token_id: 200 },
          finish_reason: null,
        },
      ],
      logprobs: null,
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      choices: [{ index: 0, delta: { content: "New York.", token_id: 5 }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      choices: [{ index: 0, delta: { content: "", token_id: 2 }, finish_reason: "stop" }],
      usage: { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100, cached_tokens: 0 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 70, outputTokens: 30 },
};
