import type { Recording } from "./recording.ts";

/** What huggingface answers, in our own words. */
export const recording: Recording = {
  source:
    "https://github.com/pydantic/pydantic-ai/tree/main/tests/models/cassettes/test_huggingface/test_simple_completion.yaml",
  model: "deepseek-ai/DeepSeek-R1",
  says: "Hello!",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "deepseek-ai/DeepSeek-R1",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello!", tool_calls: [] },
        finish_reason: "stop",
        seed: 3859899181302555600,
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 4, completion_tokens: 197, total_tokens: 201, cached_tokens: 0 },
    prompt: [],
  },
  units: { requests: 1, inputTokens: 4, outputTokens: 197 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-ai/DeepSeek-R1",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello!" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "deepseek-ai/DeepSeek-R1",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 4, completion_tokens: 190, total_tokens: 194, cached_tokens: 0 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 4, outputTokens: 190 },
};
