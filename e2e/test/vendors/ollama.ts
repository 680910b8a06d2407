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
};
