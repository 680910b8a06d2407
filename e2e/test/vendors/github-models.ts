import type { Recording } from "./recording.ts";

/** What GitHub Models answers, in our own words: the whole answer is recorded, the stream is by the documentation. */
export const recording: Recording = {
  source: "https://alphahinex.github.io (short-free-llm-api, 2025-05-11)",
  model: "deepseek/DeepSeek-V3-0324",
  says: "Paris.",
  whole: {
    choices: [
      {
        finish_reason: "stop",
        index: 0,
        message: {
          content: "Paris.",
          role: "assistant",
          tool_calls: null,
        },
      },
    ],
    created: 1746858750,
    id: "a16d9594455d49b2b6f30590ed7451d0",
    model: "DeepSeek-V3-0324",
    object: "chat.completion",
    usage: {
      completion_tokens: 44,
      prompt_tokens: 16,
      prompt_tokens_details: null,
      total_tokens: 60,
    },
  },
  units: {
    requests: 1,
    inputTokens: 16,
    outputTokens: 44,
  },
  stream: [
    {
      choices: [
        {
          delta: {
            content: "",
            role: "assistant",
            tool_calls: null,
          },
          finish_reason: null,
          index: 0,
        },
      ],
      created: 1746858750,
      id: "a16d9594455d49b2b6f30590ed7451d0",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
    },
    {
      choices: [
        {
          delta: {
            content: "Paris.",
          },
          finish_reason: null,
          index: 0,
        },
      ],
      created: 1746858750,
      id: "a16d9594455d49b2b6f30590ed7451d0",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
    },
    {
      choices: [
        {
          delta: {
            content: "",
          },
          finish_reason: "stop",
          index: 0,
        },
      ],
      created: 1746858750,
      id: "a16d9594455d49b2b6f30590ed7451d0",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
    },
    {
      choices: [],
      created: 1746858750,
      id: "a16d9594455d49b2b6f30590ed7451d0",
      model: "DeepSeek-V3-0324",
      object: "chat.completion.chunk",
      usage: {
        completion_tokens: 44,
        prompt_tokens: 16,
        prompt_tokens_details: null,
        total_tokens: 60,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 16,
    outputTokens: 44,
  },
};
