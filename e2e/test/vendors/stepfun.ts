import type { Recording } from "./recording.ts";

/** What stepfun answers, in our own words. */
export const recording: Recording = {
  source: "https://platform.stepfun.com/docs/api-reference/chat/chat-completion-create",
  model: "step-3",
  says: "Hello.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "step-3",
    choices: [
      { index: 0, message: { role: "assistant", content: "Hello.", reasoning: "A greeting." }, finish_reason: "stop" },
    ],
    usage: { prompt_tokens: 83, completion_tokens: 27, total_tokens: 110, cached_tokens: 67 },
  },
  units: { requests: 1, inputTokens: 16, outputTokens: 27, cachedInputTokens: 67 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "step-3",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "step-3",
      choices: [{ index: 0, delta: { reasoning: "A greeting." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "step-3",
      choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "step-3",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 83, completion_tokens: 28, total_tokens: 111, cached_tokens: 0 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 83, outputTokens: 28 },
};
