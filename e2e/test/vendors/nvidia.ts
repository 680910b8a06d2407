import type { Recording } from "./recording.ts";

/** What NVIDIA answers, in our own words: the chunks are recorded (GitHub, id chat-ade745b94fa342f39bbfd832c70d5ee4), all else is by the documentation. */
export const recording: Recording = {
  source: "https://docs.api.nvidia.com/nim/reference/llm-apis",
  model: "meta/llama-3.3-70b-instruct",
  says: "Hello.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "meta/llama-3.3-70b-instruct",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop", logprobs: null }],
    usage: { prompt_tokens: 21, completion_tokens: 3, total_tokens: 24 },
  },
  units: { requests: 1, inputTokens: 21, outputTokens: 3 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "meta/llama-3.3-70b-instruct",
      choices: [{ index: 0, delta: { role: "assistant", content: null }, logprobs: null, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "meta/llama-3.3-70b-instruct",
      choices: [{ index: 0, delta: { role: null, content: "Hello." }, logprobs: null, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "meta/llama-3.3-70b-instruct",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "meta/llama-3.3-70b-instruct",
      choices: [],
      usage: { prompt_tokens: 21, completion_tokens: 4, total_tokens: 25 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 21, outputTokens: 4 },
};
