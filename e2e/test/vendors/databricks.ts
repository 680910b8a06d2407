import type { Recording } from "./recording.ts";

/** What databricks answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference",
  model: "databricks-meta-llama-3-3-70b-instruct",
  says: "A lakehouse.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "databricks-meta-llama-3-3-70b-instruct",
    choices: [{ index: 0, message: { role: "assistant", content: "A lakehouse." }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 12_011,
      completion_tokens: 80,
      total_tokens: 12_091,
      reasoning_tokens: 30,
      cache_read_input_tokens: 12_002,
    },
  },
  units: { requests: 1, inputTokens: 9, cachedInputTokens: 12_002, outputTokens: 80, reasoningTokens: 30 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "databricks-meta-llama-3-3-70b-instruct",
      choices: [{ index: 0, delta: { role: "assistant", content: "A " }, finish_reason: null }],
      usage: { prompt_tokens: 15, completion_tokens: 1, total_tokens: 16 },
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "databricks-meta-llama-3-3-70b-instruct",
      choices: [{ index: 0, delta: { content: "lakehouse." }, finish_reason: null }],
      usage: { prompt_tokens: 15, completion_tokens: 7, total_tokens: 22 },
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "databricks-meta-llama-3-3-70b-instruct",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 15, completion_tokens: 8, total_tokens: 23 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 15, outputTokens: 8 },
};
