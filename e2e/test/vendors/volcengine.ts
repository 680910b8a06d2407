import type { Recording } from "./recording.ts";

/** What Volcengine Ark answers, in our own words: both answers are outputs of its documentation's calls, but for the last chunk. */
export const recording: Recording = {
  source: "https://www.volcengine.com/docs/82379/1494384",
  model: "doubao-1-5-pro-32k-250115",
  says: "Hello! How can I help you today?",
  whole: {
    choices: [
      {
        finish_reason: "stop",
        index: 0,
        logprobs: null,
        message: {
          content: "Hello! How can I help you today?",
          role: "assistant",
        },
      },
    ],
    created: 1742631811,
    id: "0217426318107460cfa43dc3f3683b1de1c09624ff49085a456ac",
    model: "doubao-1-5-pro-32k-250115",
    service_tier: "default",
    object: "chat.completion",
    usage: {
      completion_tokens: 9,
      prompt_tokens: 19,
      total_tokens: 28,
      prompt_tokens_details: {
        cached_tokens: 0,
      },
      completion_tokens_details: {
        reasoning_tokens: 0,
      },
    },
  },
  units: {
    requests: 1,
    inputTokens: 19,
    outputTokens: 9,
  },
  stream: [
    {
      choices: [
        {
          delta: {
            content: "Hello",
            role: "assistant",
          },
          index: 0,
        },
      ],
      created: 1742632436,
      id: "021742632435712396f12d018b5d576a7a55349c2eba0815061fc",
      model: "doubao-1-5-pro-32k-250115",
      service_tier: "default",
      object: "chat.completion.chunk",
      usage: null,
    },
    {
      choices: [
        {
          delta: {
            content: "! How can I help you today?",
            role: "assistant",
          },
          index: 0,
        },
      ],
      created: 1742632436,
      id: "021742632435712396f12d018b5d576a7a55349c2eba0815061fc",
      model: "doubao-1-5-pro-32k-250115",
      service_tier: "default",
      object: "chat.completion.chunk",
      usage: null,
    },
    {
      choices: [
        {
          delta: {
            content: "",
            role: "assistant",
          },
          finish_reason: "stop",
          index: 0,
        },
      ],
      created: 1742632436,
      id: "021742632435712396f12d018b5d576a7a55349c2eba0815061fc",
      model: "doubao-1-5-pro-32k-250115",
      service_tier: "default",
      object: "chat.completion.chunk",
      usage: null,
    },
    {
      choices: [],
      created: 1742632436,
      id: "021742632435712396f12d018b5d576a7a55349c2eba0815061fc",
      model: "doubao-1-5-pro-32k-250115",
      service_tier: "default",
      object: "chat.completion.chunk",
      usage: {
        completion_tokens: 9,
        prompt_tokens: 19,
        total_tokens: 28,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        completion_tokens_details: {
          reasoning_tokens: 0,
        },
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 19,
    outputTokens: 9,
  },
};
