import type { Recording } from "./recording.ts";

/** What LiteLLM answers, in our own words: the whole answer is recorded (GitHub, id chatcmpl-kchd8jwscaafs1wi0uyqsq), the stream is by the documentation. */
export const recording: Recording = {
  source: "https://docs.litellm.ai/docs/completion/output",
  model: "gpt-4o-mini",
  says: "Hello!",
  whole: {
    id: "chatcmpl-kchd8jwscaafs1wi0uyqsq",
    created: 1769012041,
    model: "qwen/qwen3-coder-30b",
    object: "chat.completion",
    system_fingerprint: "qwen/qwen3-coder-30b",
    choices: [{ finish_reason: "stop", index: 0, message: { content: "Hello!", role: "assistant" } }],
    usage: { completion_tokens: 10, prompt_tokens: 10, total_tokens: 20 },
  },
  units: { requests: 1, inputTokens: 10, outputTokens: 10 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-4o-mini",
      system_fingerprint: "fp_560af6e559",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello!" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-4o-mini",
      system_fingerprint: "fp_560af6e559",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "gpt-4o-mini",
      system_fingerprint: "fp_560af6e559",
      choices: [{ index: 0, delta: {} }],
      usage: { prompt_tokens: 13, completion_tokens: 8, total_tokens: 21 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 13, outputTokens: 8 },
};
