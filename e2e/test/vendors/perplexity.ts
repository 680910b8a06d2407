import type { Recording } from "./recording.ts";

/** What perplexity answers, in our own words. */
export const recording: Recording = {
  source: "https://github.com/vercel/ai/tree/main/packages/perplexity/src/__fixtures__/perplexity-text.chunks.txt",
  model: "sonar",
  says: "A holiday.[1]",
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1770770833,
    model: "sonar",
    choices: [{ index: 0, message: { role: "assistant", content: "A holiday.[1]" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 11, completion_tokens: 392, total_tokens: 403, search_context_size: "low" },
    citations: ["https://example.org/a"],
  },
  units: { requests: 1, inputTokens: 11, outputTokens: 392 },
  stream: [
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "sonar",
      choices: [{ index: 0, delta: { role: "assistant", content: "A holiday." }, finish_reason: null }],
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
      citations: ["https://example.org/a"],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "sonar",
      choices: [{ index: 0, delta: { role: "assistant", content: "[1]" }, finish_reason: null }],
      usage: { prompt_tokens: 11, completion_tokens: 433, total_tokens: 444 },
      citations: ["https://example.org/a"],
    },
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1770770846,
      model: "sonar",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 11, completion_tokens: 434, total_tokens: 445 },
      citations: ["https://example.org/a"],
    },
  ],
  streamUnits: { requests: 1, inputTokens: 11, outputTokens: 434 },
};
