import type { Recording } from "./recording.ts";

/** What together answers, in our own words: both answers are recorded, the stream by anomalyco/opencode. */
export const recording: Recording = {
  source:
    "https://github.com/Arize-ai/openinference/tree/main/python/instrumentation/openinference-instrumentation-together/tests/openinference/instrumentation/together/cassettes/test_instrumentor",
  model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
  says: "Hello!",
  whole: {
    id: "ovCaxP2-1",
    object: "chat.completion",
    created: 1786077872,
    model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    prompt: [],
    choices: [
      {
        finish_reason: "stop",
        seed: 1006384534,
        index: 0,
        logprobs: null,
        message: {
          role: "assistant",
          content: "Hello!",
          tool_calls: [],
        },
      },
    ],
    usage: {
      prompt_tokens: 46,
      completion_tokens: 45,
      total_tokens: 91,
      cached_tokens: 0,
    },
  },
  units: {
    requests: 1,
    inputTokens: 46,
    outputTokens: 45,
  },
  stream: [
    {
      id: "ogzjdpL-1",
      object: "chat.completion.chunk",
      created: 1777411129,
      choices: [
        {
          index: 0,
          text: "Hello",
          logprobs: null,
          finish_reason: null,
          seed: null,
          delta: {
            token_id: 9906,
            role: "assistant",
            content: "Hello",
          },
        },
      ],
      model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      usage: null,
    },
    {
      id: "ogzjdpL-1",
      object: "chat.completion.chunk",
      created: 1777411129,
      choices: [
        {
          index: 0,
          text: "!",
          logprobs: null,
          finish_reason: null,
          seed: null,
          delta: {
            token_id: null,
            role: "assistant",
            content: "!",
          },
        },
      ],
      model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      usage: null,
    },
    {
      id: "ogzjdpL-1",
      object: "chat.completion.chunk",
      created: 1777411129,
      choices: [
        {
          index: 0,
          text: "",
          logprobs: null,
          finish_reason: "stop",
          seed: 1592476422,
          delta: {
            token_id: 128009,
            role: "assistant",
            content: "",
          },
        },
      ],
      model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      usage: {
        prompt_tokens: 45,
        completion_tokens: 3,
        total_tokens: 48,
        cached_tokens: 0,
      },
    },
  ],
  streamUnits: {
    requests: 1,
    inputTokens: 45,
    outputTokens: 3,
  },
};
