import type { Recording } from "./recording.ts";

/** What siliconflow answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions",
  model: "deepseek-ai/DeepSeek-V3",
  says: "Sure.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "deepseek-ai/DeepSeek-V3",
    system_fingerprint: "",
    choices: [
      { index: 0, message: { role: "assistant", content: "Sure.", reasoning_content: "" }, finish_reason: "stop" },
    ],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 40,
      total_tokens: 52,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 31 },
    },
  },
  units: { requests: 1, inputTokens: 12, outputTokens: 40, reasoningTokens: 31 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-ai/DeepSeek-V3",
      system_fingerprint: "",
      choices: [
        { index: 0, delta: { role: "assistant", content: null, reasoning_content: "Hm." }, finish_reason: null },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 13,
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-ai/DeepSeek-V3",
      system_fingerprint: "",
      choices: [{ index: 0, delta: { content: "Sure.", reasoning_content: null }, finish_reason: null }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 33,
        total_tokens: 45,
        completion_tokens_details: { reasoning_tokens: 31 },
      },
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-ai/DeepSeek-V3",
      system_fingerprint: "",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 40,
        total_tokens: 52,
        completion_tokens_details: { reasoning_tokens: 31 },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 12, outputTokens: 40, reasoningTokens: 31 },
};
