import type { Recording } from "./recording.ts";

/** What openrouter answers, in our own words. */
export const recording: Recording = {
  source:
    "https://github.com/pydantic/pydantic-ai/tree/main/tests/models/cassettes/test_openrouter/test_openrouter_streaming_reasoning.yaml",
  model: "anthropic/claude-sonnet-4.5",
  says: "Hi.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "anthropic/claude-sonnet-4.5",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hi.",
          refusal: null,
          reasoning: "A greeting.",
          reasoning_details: [
            { type: "reasoning.text", text: "A greeting.", format: "anthropic-claude-v1", index: 0, signature: "c2ln" },
          ],
        },
        finish_reason: "stop",
        native_finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 45,
      completion_tokens: 60,
      total_tokens: 105,
      cost: 0.001035,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 40, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 44 },
    },
    provider: "Google",
  },
  units: { requests: 1, inputTokens: 5, outputTokens: 60, cachedInputTokens: 40, reasoningTokens: 44 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "anthropic/claude-sonnet-4.5",
      choices: [
        {
          index: 0,
          delta: {
            role: "assistant",
            content: "",
            reasoning: "A greeting.",
            reasoning_details: [
              { type: "reasoning.text", text: "A greeting.", format: "anthropic-claude-v1", index: 0 },
            ],
          },
          finish_reason: null,
        },
      ],
      provider: "Google",
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "anthropic/claude-sonnet-4.5",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hi." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "anthropic/claude-sonnet-4.5",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "anthropic/claude-sonnet-4.5",
      choices: [
        { index: 0, delta: { role: "assistant", content: "" }, finish_reason: null, native_finish_reason: null },
      ],
      usage: {
        prompt_tokens: 45,
        completion_tokens: 62,
        total_tokens: 107,
        cost: 0.001,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 46 },
      },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 45, outputTokens: 62, reasoningTokens: 46 },
};
