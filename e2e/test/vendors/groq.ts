import type { Recording } from "./recording.ts";

/** What groq answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/vercel/ai/tree/main/packages/groq/src/__fixtures__/groq-reasoning.chunks.txt",
  model: "qwen/qwen3-32b",
  says: "Three.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "qwen/qwen3-32b",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Three.", reasoning: "Okay, counting." },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 17,
      completion_tokens: 649,
      total_tokens: 666,
      queue_time: 0.33,
      prompt_time: 0.0006,
      completion_time: 1.23,
      total_time: 1.23,
      completion_tokens_details: { reasoning_tokens: 570 },
    },
    x_groq: { id: "req_01kh52n6v2", seed: 1186842417 },
    service_tier: "on_demand",
    usage_breakdown: null,
  },
  units: { requests: 1, inputTokens: 17, outputTokens: 649, reasoningTokens: 570 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen/qwen3-32b",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
      x_groq: { id: "req_01kh52nmbj", seed: 872656815 },
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen/qwen3-32b",
      choices: [{ index: 0, delta: { reasoning: "Okay" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen/qwen3-32b",
      choices: [{ index: 0, delta: { content: "Three." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen/qwen3-32b",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      x_groq: {
        id: "req_01kh52nmbj",
        usage: {
          prompt_tokens: 17,
          completion_tokens: 1107,
          total_tokens: 1124,
          queue_time: 0.17,
          prompt_time: 0.0007,
          completion_time: 3.2,
          total_time: 3.2,
          completion_tokens_details: { reasoning_tokens: 963 },
        },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 17, outputTokens: 1107, reasoningTokens: 963 },
};
