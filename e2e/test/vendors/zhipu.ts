import type { Recording } from "./recording.ts";

/** What zhipu answers, in our own words. */
export const recording: Recording = {
  source:
    "https://github.com/pydantic/pydantic-ai/tree/main/tests/models/cassettes/test_zai/test_zai_thinking_stream.yaml",
  model: "glm-4.7",
  says: "4",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "glm-4.7",
    choices: [
      { index: 0, message: { role: "assistant", content: "4", reasoning_content: "Simple." }, finish_reason: "stop" },
    ],
    usage: {
      prompt_tokens: 13,
      completion_tokens: 369,
      total_tokens: 382,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 366 },
    },
    request_id: "202607010739",
  },
  units: { requests: 1, inputTokens: 13, outputTokens: 369, reasoningTokens: 366 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "glm-4.7",
      choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "Analyze." } }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "glm-4.7",
      choices: [{ index: 0, delta: { role: "assistant", content: "4" } }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "glm-4.7",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 13,
        completion_tokens: 564,
        total_tokens: 577,
        prompt_tokens_details: { cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 561 },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 5, outputTokens: 564, cachedInputTokens: 8, reasoningTokens: 561 },
};
