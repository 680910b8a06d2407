import type { Recording } from "./recording.ts";

/** What baidu answers, in our own words. */
export const recording: Recording = {
  source: "https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb",
  model: "ernie-4.5-turbo-128k",
  says: "Hello, I am ERNIE.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "ernie-4.5-turbo-128k",
    choices: [
      { index: 0, message: { role: "assistant", content: "Hello, I am ERNIE." }, finish_reason: "stop", flag: 0 },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 19, total_tokens: 24 },
  },
  units: { requests: 1, inputTokens: 5, outputTokens: 19 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ernie-4.5-turbo-128k",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello, " }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ernie-4.5-turbo-128k",
      choices: [{ index: 0, delta: { content: "I am ERNIE." }, flag: 0 }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ernie-4.5-turbo-128k",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "ernie-4.5-turbo-128k",
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 20, total_tokens: 25 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 5, outputTokens: 20 },
};
