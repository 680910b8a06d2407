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
  messages: {
    source: "a trace of its stream, published on GitHub: its id is msg_202601031513181856df84e5504309",
    // It knows its input at the end only.
    stream: {
      says: "Hello! Ask me.",
      events: [
        {
          type: "message_start",
          message: {
            id: "msg_202601031513181856df84e5504309",
            type: "message",
            role: "assistant",
            model: "glm-4-air",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 0, output_tokens: 0 },
          },
        },
        { type: "ping" },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello!" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " Ask me." } },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: {
            input_tokens: 532,
            output_tokens: 20,
            cache_read_input_tokens: 0,
            server_tool_use: { web_search_requests: 0 },
            service_tier: "standard",
          },
        },
        { type: "message_stop" },
      ],
      units: { requests: 1, inputTokens: 532, outputTokens: 20 },
    },
  },
};
