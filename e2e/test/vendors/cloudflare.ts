import type { Recording } from "./recording.ts";

/** What Cloudflare answers, in our own words: both answers are recorded. Each chunk has what was used since the one before it, the last one all. */
export const recording: Recording = {
  source:
    "a probe of Workers AI, published on GitHub: its ids are 4bb245b612b04449b9efe83d17ce90e0 and f962191d3d2f47418286b60056319eb5",
  model: "@cf/google/gemma-4-26b-a4b-it",
  says: "Hello, friend.",
  whole: {
    choices: [
      {
        finish_reason: "stop",
        index: 0,
        logprobs: null,
        message: {
          content: "Hello, friend.",
          role: "assistant",
        },
      },
    ],
    created: 1791402397,
    id: "4bb245b612b04449b9efe83d17ce90e0",
    model: "@cf/google/gemma-4-26b-a4b-it-external",
    object: "chat.completion",
    usage: {
      prompt_tokens: 147,
      completion_tokens: 16,
      total_tokens: 163,
      prompt_tokens_details: {
        cached_tokens: 0,
      },
      neurons: 1.7727272510528564,
    },
  },
  units: {
    requests: 1,
    inputTokens: 147,
    outputTokens: 16,
  },
  stream: [
    {
      choices: [
        {
          delta: {
            content: "",
            role: "assistant",
            reasoning_content: null,
          },
          finish_reason: null,
          index: 0,
          logprobs: null,
          matched_stop: null,
        },
      ],
      created: 1791402526,
      id: "f962191d3d2f47418286b60056319eb5",
      model: "@cf/google/gemma-4-26b-a4b-it-external",
      object: "chat.completion.chunk",
      p: "pf8tbfo2fkee",
      usage: {
        prompt_tokens: 147,
        completion_tokens: 0,
        total_tokens: 147,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        neurons: 1.3363635540008545,
      },
    },
    {
      choices: [
        {
          delta: {
            content: "Hello,",
            reasoning_content: null,
          },
          finish_reason: null,
          index: 0,
          logprobs: null,
          matched_stop: null,
        },
      ],
      created: 1791402526,
      id: "f962191d3d2f47418286b60056319eb5",
      model: "@cf/google/gemma-4-26b-a4b-it-external",
      object: "chat.completion.chunk",
      p: "pf8tbfo2fkee",
      usage: {
        prompt_tokens: 0,
        completion_tokens: 1,
        total_tokens: 1,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        neurons: 0.027272727340459824,
      },
    },
    {
      choices: [
        {
          delta: {
            content: " friend.",
            reasoning_content: null,
          },
          finish_reason: null,
          index: 0,
          logprobs: null,
          matched_stop: null,
        },
      ],
      created: 1791402526,
      id: "f962191d3d2f47418286b60056319eb5",
      model: "@cf/google/gemma-4-26b-a4b-it-external",
      object: "chat.completion.chunk",
      p: "pf8tbfo2fkee",
      usage: {
        prompt_tokens: 0,
        completion_tokens: 1,
        total_tokens: 1,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        neurons: 0.027272727340459824,
      },
    },
    {
      choices: [
        {
          delta: {
            reasoning_content: null,
          },
          finish_reason: "stop",
          index: 0,
          logprobs: null,
          matched_stop: 106,
        },
      ],
      created: 1791402526,
      id: "f962191d3d2f47418286b60056319eb5",
      model: "@cf/google/gemma-4-26b-a4b-it-external",
      object: "chat.completion.chunk",
      p: "pf8tbfo2fkee",
      usage: {
        prompt_tokens: 0,
        completion_tokens: 0,
        total_tokens: 0,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        neurons: 0,
      },
    },
    {
      choices: [],
      created: 1791402526,
      id: "f962191d3d2f47418286b60056319eb5",
      model: "@cf/google/gemma-4-26b-a4b-it-external",
      object: "chat.completion.chunk",
      p: "sxm6dki9",
      usage: {
        prompt_tokens: 0,
        completion_tokens: 1,
        total_tokens: 1,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        neurons: 0.027272727340459824,
      },
    },
    {
      response: "",
      usage: {
        prompt_tokens: 147,
        completion_tokens: 16,
        total_tokens: 163,
        prompt_tokens_details: {
          cached_tokens: 0,
        },
        neurons: 1.7727271914482117,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 147,
    outputTokens: 16,
  },
};
