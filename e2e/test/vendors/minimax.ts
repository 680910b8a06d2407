import type { Recording } from "./recording.ts";

/** What minimax answers, in our own words. */
export const recording: Recording = {
  source: "https://platform.minimax.io/docs/api-reference/text-post",
  model: "MiniMax-M2",
  says: "Hello! How can I assist you?",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "MiniMax-M2",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hello! How can I assist you?",
          name: "MiniMax AI",
          audio_content: "",
          reasoning_content: "Greeting.",
        },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 26,
      completion_tokens: 223,
      total_tokens: 249,
      total_characters: 0,
      completion_tokens_details: { reasoning_tokens: 214 },
    },
    input_sensitive: false,
    output_sensitive: false,
    base_resp: { status_code: 0, status_msg: "" },
  },
  units: { requests: 1, inputTokens: 26, outputTokens: 223, reasoningTokens: 214 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "MiniMax-M2",
      choices: [
        {
          index: 0,
          delta: {
            role: "assistant",
            name: "MiniMax AI",
            audio_content: "",
            content: "",
            reasoning_content: "Greeting.",
          },
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "MiniMax-M2",
      choices: [
        { index: 0, delta: { role: "assistant", content: "Hello! How can I assist you?" }, finish_reason: "stop" },
      ],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "MiniMax-M2",
      choices: [],
      usage: {
        prompt_tokens: 26,
        completion_tokens: 220,
        total_tokens: 246,
        total_characters: 0,
        completion_tokens_details: { reasoning_tokens: 210 },
      },
      base_resp: { status_code: 0, status_msg: "" },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 26, outputTokens: 220, reasoningTokens: 210 },
  messages: {
    source:
      "a probe of api.minimaxi.com/anthropic/v1/messages, published on GitHub: its id is 06d660e8c3c8d1f3ccde21d3181ac466",
    whole: {
      says: "VISION_OK",
      body: {
        id: "06d660e8c3c8d1f3ccde21d3181ac466",
        type: "message",
        role: "assistant",
        model: "MiniMax-M3",
        content: [{ text: "VISION_OK", type: "text" }],
        usage: {
          input_tokens: 66,
          output_tokens: 3,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 128,
          service_tier: "standard",
        },
        stop_reason: "end_turn",
        base_resp: { status_code: 0, status_msg: "" },
      },
      units: { requests: 1, inputTokens: 66, cachedInputTokens: 128, outputTokens: 3 },
    },
  },
};
