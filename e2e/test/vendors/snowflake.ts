import type { Recording } from "./recording.ts";

/** What snowflake answers, in our own words. */
export const recording: Recording = {
  source:
    "https://github.com/pydantic/pydantic-ai/tree/main/tests/models/cassettes/test_snowflake/test_snowflake_model_streaming.yaml",
  model: "claude-sonnet-4-6",
  says: "4",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "claude-sonnet-4-6",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "4",
          refusal: "",
          annotations: null,
          audio: { data: "", expires_at: 0, id: "", transcript: "" },
          function_call: { arguments: "", name: "" },
          tool_calls: null,
        },
        finish_reason: "",
      },
    ],
    usage: {
      prompt_tokens: 22,
      completion_tokens: 5,
      total_tokens: 27,
      prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
      completion_tokens_details: {
        accepted_prediction_tokens: 0,
        audio_tokens: 0,
        reasoning_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  },
  units: { requests: 1, inputTokens: 22, outputTokens: 5 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "claude-sonnet-4-6",
      choices: [
        {
          delta: { content: "4", refusal: "", role: "assistant", tool_calls: null },
          index: 0,
          logprobs: { content: null, refusal: null },
        },
      ],
      service_tier: "",
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "claude-sonnet-4-6",
      choices: [{ delta: { content: "", refusal: "", role: "assistant", tool_calls: null }, index: 0 }],
      service_tier: "",
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "claude-sonnet-4-6",
      choices: [],
      service_tier: "",
      usage: { prompt_tokens: 22, completion_tokens: 5, total_tokens: 27, prompt_tokens_details: { cached_tokens: 0 } },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 22, outputTokens: 5 },
};
