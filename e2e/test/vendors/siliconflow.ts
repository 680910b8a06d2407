import type { Recording } from "./recording.ts";

/** What siliconflow answers, in our own words: both answers are recorded, the stream under its id on GitHub; each chunk has what was used so far. */
export const recording: Recording = {
  source: "https://alphahinex.github.io (short-free-llm-api, 2025-05-11)",
  model: "deepseek-ai/DeepSeek-V3",
  says: "I am DeepSeek Chat.",
  whole: {
    id: "0196b8f8b9334d6d0f9f6367b4d86cf6",
    object: "chat.completion",
    created: 1746860030,
    model: "deepseek-ai/DeepSeek-V3",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "I am DeepSeek Chat.",
        },
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 4,
      completion_tokens: 50,
      total_tokens: 54,
    },
    system_fingerprint: "",
  },
  units: {
    requests: 1,
    inputTokens: 4,
    outputTokens: 50,
  },
  stream: [
    {
      id: "019516ecd5791194e7ce760dcc227413",
      object: "chat.completion.chunk",
      created: 1739846374,
      model: "deepseek-ai/DeepSeek-V3",
      choices: [
        {
          index: 0,
          delta: {
            reasoning_content: null,
            content: "",
            role: "assistant",
          },
          finish_reason: null,
          content_filter_results: {
            hate: {
              filtered: false,
            },
            self_harm: {
              filtered: false,
            },
            sexual: {
              filtered: false,
            },
            violence: {
              filtered: false,
            },
          },
        },
      ],
      system_fingerprint: "",
      usage: {
        prompt_tokens: 35,
        completion_tokens: 0,
        total_tokens: 35,
      },
    },
    {
      id: "019516ecd5791194e7ce760dcc227413",
      object: "chat.completion.chunk",
      created: 1739846374,
      model: "deepseek-ai/DeepSeek-V3",
      choices: [
        {
          index: 0,
          delta: {
            reasoning_content: null,
            content: "I am",
          },
          finish_reason: null,
          content_filter_results: {
            hate: {
              filtered: false,
            },
            self_harm: {
              filtered: false,
            },
            sexual: {
              filtered: false,
            },
            violence: {
              filtered: false,
            },
          },
        },
      ],
      system_fingerprint: "",
      usage: {
        prompt_tokens: 35,
        completion_tokens: 1,
        total_tokens: 36,
      },
    },
    {
      id: "019516ecd5791194e7ce760dcc227413",
      object: "chat.completion.chunk",
      created: 1739846374,
      model: "deepseek-ai/DeepSeek-V3",
      choices: [
        {
          index: 0,
          delta: {
            reasoning_content: null,
            content: " DeepSeek Chat.",
          },
          finish_reason: null,
          content_filter_results: {
            hate: {
              filtered: false,
            },
            self_harm: {
              filtered: false,
            },
            sexual: {
              filtered: false,
            },
            violence: {
              filtered: false,
            },
          },
        },
      ],
      system_fingerprint: "",
      usage: {
        prompt_tokens: 35,
        completion_tokens: 4,
        total_tokens: 39,
      },
    },
    {
      id: "019516ecd5791194e7ce760dcc227413",
      object: "chat.completion.chunk",
      created: 1739846374,
      model: "deepseek-ai/DeepSeek-V3",
      choices: [
        {
          index: 0,
          delta: {
            reasoning_content: null,
            content: "",
          },
          finish_reason: "stop",
          content_filter_results: {
            hate: {
              filtered: false,
            },
            self_harm: {
              filtered: false,
            },
            sexual: {
              filtered: false,
            },
            violence: {
              filtered: false,
            },
          },
        },
      ],
      system_fingerprint: "",
      usage: {
        prompt_tokens: 35,
        completion_tokens: 9,
        total_tokens: 44,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 35,
    outputTokens: 9,
  },
};
