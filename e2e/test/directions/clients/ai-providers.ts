import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { Suite } from "@modelgate/testkit";
import type { Client, Ending, Question } from "../question.ts";
import { aiError, askAi, type AiProvider } from "./ai-text.ts";

const endings: Readonly<Record<Ending, string>> = {
  stop: "stop",
  length: "length",
  calls: "tool-calls",
};

type Make = (suite: Suite, key: string, question: Question) => AiProvider;

/**
 * Returns a client that makes a provider for each model it asks, because a conversation may continue with another model
 * (`follow`).
 */
function clientOf(name: string, wire: Client["wire"], make: Make): Client {
  return {
    name,
    wire,
    endings,
    ask: (suite, key, question) => askAi((model) => make(suite, key, { ...question, model }), question),
    errorOf: aiError,
  };
}

const aiOpenaiChat = clientOf("ai openai chat", "chat", (suite, apiKey, { model, reasoning }) => ({
  model: createOpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey }).chat(model),
  options: {
    openai: {
      // The SDK cannot detect that these models reason.
      ...(reasoning && { forceReasoning: true, systemMessageMode: "system" }),
    },
  },
}));

const aiOpenaiResponses = clientOf("ai openai responses", "responses", (suite, apiKey, { model, reasoning }) => ({
  model: createOpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey }).responses(model),
  options: {
    openai: {
      store: false,
      ...(reasoning && {
        forceReasoning: true,
        reasoningSummary: "auto",
        include: ["reasoning.encrypted_content"],
      }),
    },
  },
}));

const aiAnthropic = clientOf("ai anthropic", "messages", (suite, apiKey, { model, reasoning }) => ({
  model: createAnthropic({ baseURL: `${suite.edgeUrl}/v1`, apiKey })(model),
  options: {
    anthropic: {
      structuredOutputMode: "outputFormat",
      ...(reasoning && { thinking: { type: "enabled", budgetTokens: 2_048 } }),
    },
  },
}));

const aiGoogle = clientOf("ai google", "content", (suite, apiKey, { model, reasoning }) => ({
  model: createGoogle({ baseURL: `${suite.edgeUrl}/v1beta`, apiKey })(model),
  options: { google: { ...(reasoning && { thinkingConfig: { includeThoughts: true } }) } },
}));

/** Clients of the `ai` SDK, one for each wire. */
export const aiClients: readonly Client[] = [aiOpenaiChat, aiOpenaiResponses, aiAnthropic, aiGoogle];
