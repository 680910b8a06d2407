import type { Recording } from "./recording.ts";

/** What vllm answers, in our own words. */
export const recording: Recording = {
  source: "https://docs.vllm.ai/en/latest/features/reasoning_outputs/",
  model: "Qwen/Qwen3-8B",
  says: "9.11 is less.",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "Qwen/Qwen3-8B",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "9.11 is less.",
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
          tool_calls: [],
          reasoning: "Compare.",
          reasoning_content: "Compare.",
        },
        finish_reason: "stop",
        stop_reason: null,
        token_ids: null,
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 22, completion_tokens: 170, total_tokens: 192, prompt_tokens_details: null },
    service_tier: null,
    prompt_logprobs: null,
    kv_transfer_params: null,
  },
  units: { requests: 1, inputTokens: 22, outputTokens: 170 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-8B",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-8B",
      choices: [{ index: 0, delta: { reasoning: "Compare.", reasoning_content: "Compare." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-8B",
      choices: [{ index: 0, delta: { content: "9.11 is less." }, finish_reason: null }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-8B",
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "Qwen/Qwen3-8B",
      choices: [],
      usage: { prompt_tokens: 22, completion_tokens: 171, total_tokens: 193 },
    },
  ],
  streamUnits: { requests: 1, inputTokens: 22, outputTokens: 171 },
};
