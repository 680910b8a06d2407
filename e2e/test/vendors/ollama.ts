import type { Recording } from "./recording.ts";

/** What ollama answers, in our own words. */
export const recording: Recording = {
  source:
    "https://github.com/pydantic/pydantic-ai/tree/main/tests/models/cassettes/test_ollama/test_ollama_local_native_output_uses_json_schema.yaml",
  model: "qwen3:0.6b",
  says: '{ "city": "Paris" }',
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "qwen3:0.6b",
    system_fingerprint: "fp_ollama",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: '{ "city": "Paris" }', reasoning: "The capital is Paris." },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 136, completion_tokens: 15, total_tokens: 151 },
  },
  units: { requests: 1, inputTokens: 136, outputTokens: 15 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen3:0.6b",
      system_fingerprint: "fp_ollama",
      choices: [{ index: 0, delta: { role: "assistant", content: "", reasoning: "The" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen3:0.6b",
      system_fingerprint: "fp_ollama",
      choices: [{ index: 0, delta: { role: "assistant", content: '{ "city": "Paris" }' }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen3:0.6b",
      system_fingerprint: "fp_ollama",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "qwen3:0.6b",
      system_fingerprint: "fp_ollama",
      choices: [],
      usage: { prompt_tokens: 136, completion_tokens: 16, total_tokens: 152 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 136, outputTokens: 16 },
  messages: {
    source: "https://github.com/ogx-ai/ogx/tree/main/tests/integration/messages/recordings",
    whole: {
      says: "4",
      body: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "gpt-oss:20b",
        content: [
          { type: "thinking", thinking: "Two and two are four." },
          { type: "text", text: "4" },
        ],
        stop_reason: "end_turn",
        usage: { input_tokens: 80, output_tokens: 35 },
      },
      units: { requests: 1, inputTokens: 80, outputTokens: 35 },
    },
    // It begins with a guess at its input, and ends with what was counted.
    stream: {
      says: "1, 2",
      events: [
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "gpt-oss:20b",
            content: [],
            usage: { input_tokens: 10, output_tokens: 0 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Counting." } },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "1," } },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: " 2" } },
        { type: "content_block_stop", index: 1 },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn" },
          usage: { input_tokens: 79, output_tokens: 64 },
        },
        { type: "message_stop" },
      ],
      units: { requests: 1, inputTokens: 79, outputTokens: 64 },
    },
  },
};
