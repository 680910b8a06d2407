import type { Recording } from "./recording.ts";

/** What sambanova answers, in our own words: the whole answer is recorded, the stream is by the documentation. */
export const recording: Recording = {
  source: "https://alphahinex.github.io (short-free-llm-api, 2025-05-11)",
  model: "DeepSeek-V3-0324",
  says: "Paris.",
  whole: {
    choices: [
      {
        finish_reason: "stop",
        index: 0,
        logprobs: null,
        message: {
          content: "Paris.",
          role: "assistant",
        },
      },
    ],
    created: 1746852567.742961,
    id: "003de5ed-2a5e-4cc8-a1dc-a83f2339d994",
    model: "DeepSeek-V3-0324",
    object: "chat.completion",
    system_fingerprint: "fastcoe",
    usage: {
      completion_tokens: 51,
      completion_tokens_after_first_per_sec: 203.1970451845694,
      completion_tokens_after_first_per_sec_first_ten: 204.03983207094663,
      completion_tokens_per_sec: 135.12995588730448,
      end_time: 1746852567.7429223,
      is_last_response: true,
      prompt_tokens: 10,
      start_time: 1746852567.3655078,
      stop_reason: "stop",
      time_to_first_token: 0.1313478946685791,
      total_latency: 0.3774144649505615,
      total_tokens: 61,
      total_tokens_per_sec: 161.6260256691289,
    },
  },
  units: {
    requests: 1,
    inputTokens: 10,
    outputTokens: 51,
  },
  stream: [
    {
      choices: [
        {
          delta: {
            content: "",
            role: "assistant",
          },
          finish_reason: null,
          index: 0,
          logprobs: null,
        },
      ],
      created: 1746852567.742961,
      id: "003de5ed-2a5e-4cc8-a1dc-a83f2339d994",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
      system_fingerprint: "fastcoe",
    },
    {
      choices: [
        {
          delta: {
            content: "Paris.",
          },
          finish_reason: null,
          index: 0,
          logprobs: null,
        },
      ],
      created: 1746852567.742961,
      id: "003de5ed-2a5e-4cc8-a1dc-a83f2339d994",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
      system_fingerprint: "fastcoe",
    },
    {
      choices: [
        {
          delta: {
            content: "",
          },
          finish_reason: "stop",
          index: 0,
          logprobs: null,
        },
      ],
      created: 1746852567.742961,
      id: "003de5ed-2a5e-4cc8-a1dc-a83f2339d994",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
      system_fingerprint: "fastcoe",
    },
    {
      choices: [],
      created: 1746852567.742961,
      id: "003de5ed-2a5e-4cc8-a1dc-a83f2339d994",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
      system_fingerprint: "fastcoe",
      usage: {
        completion_tokens: 51,
        completion_tokens_after_first_per_sec: 203.1970451845694,
        completion_tokens_after_first_per_sec_first_ten: 204.03983207094663,
        completion_tokens_per_sec: 135.12995588730448,
        end_time: 1746852567.7429223,
        is_last_response: true,
        prompt_tokens: 10,
        start_time: 1746852567.3655078,
        stop_reason: "stop",
        time_to_first_token: 0.1313478946685791,
        total_latency: 0.3774144649505615,
        total_tokens: 61,
        total_tokens_per_sec: 161.6260256691289,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 10,
    outputTokens: 51,
  },
};
