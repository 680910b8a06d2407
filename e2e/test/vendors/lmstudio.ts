import type { Recording } from "./recording.ts";

/** What lmstudio answers, in our own words. */
export const recording: Recording = {
  source: "https://lmstudio.ai/docs/developer/openai-compat/chat-completions",
  model: "openai/gpt-oss-20b",
  says: "Hello.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "openai/gpt-oss-20b",
    system_fingerprint: "openai/gpt-oss-20b",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello.", reasoning: "Greet.", tool_calls: [] },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 72,
      completion_tokens: 20,
      total_tokens: 92,
      completion_tokens_details: { reasoning_tokens: 9 },
    },
    stats: {},
  },
  units: { requests: 1, inputTokens: 72, outputTokens: 20, reasoningTokens: 9 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      system_fingerprint: "openai/gpt-oss-20b",
      choices: [{ index: 0, delta: { role: "assistant", reasoning: "Greet." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      system_fingerprint: "openai/gpt-oss-20b",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      system_fingerprint: "openai/gpt-oss-20b",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "openai/gpt-oss-20b",
      system_fingerprint: "openai/gpt-oss-20b",
      choices: [],
      usage: {
        prompt_tokens: 72,
        completion_tokens: 21,
        total_tokens: 93,
        completion_tokens_details: { reasoning_tokens: 10 },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 72, outputTokens: 21, reasoningTokens: 10 },
};
