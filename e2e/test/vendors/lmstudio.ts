import type { Recording } from "./recording.ts";

/** What LM Studio answers, in our own words: the whole answer is recorded (GitHub, id chatcmpl-ws4phvj9p0q3bol8hunbj6), the stream too but for its last chunk. */
export const recording: Recording = {
  source: "https://github.com/lmstudio-ai/lmstudio-js/issues/320",
  model: "qwen2.5.1-coder-7b-instruct",
  says: "Hello.",
  whole: {
    id: "chatcmpl-ws4phvj9p0q3bol8hunbj6",
    object: "chat.completion",
    created: 1785472767,
    model: "qwen2.5.1-coder-7b-instruct",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hello.",
          reasoning_content: "",
          tool_calls: [],
        },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 157,
      completion_tokens: 22,
      total_tokens: 179,
      completion_tokens_details: {
        reasoning_tokens: 0,
      },
    },
    stats: {},
    system_fingerprint: "qwen2.5.1-coder-7b-instruct",
  },
  units: {
    requests: 1,
    inputTokens: 157,
    outputTokens: 22,
  },
  stream: [
    {
      id: "chatcmpl-um3b2l9t12bzrtha63q8",
      object: "chat.completion.chunk",
      created: 1747835957,
      model: "qwen2.5.1-coder-7b-instruct",
      system_fingerprint: "qwen2.5.1-coder-7b-instruct",
      choices: [
        {
          index: 0,
          delta: {
            role: "assistant",
            content: "Hello.",
          },
          logprobs: null,
          finish_reason: null,
        },
      ],
    },
    {
      id: "chatcmpl-um3b2l9t12bzrtha63q8",
      object: "chat.completion.chunk",
      created: 1747835957,
      model: "qwen2.5.1-coder-7b-instruct",
      system_fingerprint: "qwen2.5.1-coder-7b-instruct",
      choices: [
        {
          index: 0,
          delta: {},
          logprobs: null,
          finish_reason: "stop",
        },
      ],
    },
    {
      id: "chatcmpl-um3b2l9t12bzrtha63q8",
      object: "chat.completion.chunk",
      created: 1747835957,
      model: "qwen2.5.1-coder-7b-instruct",
      system_fingerprint: "qwen2.5.1-coder-7b-instruct",
      choices: [],
      usage: {
        prompt_tokens: 157,
        completion_tokens: 22,
        total_tokens: 179,
        completion_tokens_details: {
          reasoning_tokens: 0,
        },
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 157,
    outputTokens: 22,
  },
  messages: {
    source: "a call of its /v1/messages, published on GitHub: its id is msg_vk3dkfhv53ttwjsc8thcq",
    whole: {
      says: "",
      body: {
        id: "msg_vk3dkfhv53ttwjsc8thcq",
        type: "message",
        role: "assistant",
        content: [{ type: "tool_use", id: "912551384", name: "get_weather", input: { city: "Tokyo" } }],
        model: "qwen/qwen3-coder-30b",
        stop_reason: "tool_use",
        stop_sequence: null,
        usage: { input_tokens: 274, output_tokens: 23, cache_read_input_tokens: 0 },
      },
      units: { requests: 1, inputTokens: 274, outputTokens: 23 },
    },
  },
};
