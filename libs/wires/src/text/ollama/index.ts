import { failureFrames } from "@modelgate/contracts";
import type { TextClient } from "../hub/wire.ts";
import { plainDialect } from "../../vendor-stores/members.ts";
import { isReasoningRequested } from "../dialogue.ts";
import type { OllamaParams } from "./request.ts";
import { readChatParams, readGenerateParams, inspectedMembers, parseChat, parseGenerate } from "./request.ts";
import { chatForm, generateForm, type AnswerForm, answerRenderer } from "./answer.ts";
import { LineWriter, keepAliveSpace } from "./stream.ts";

const spelling = {
  tools: "tools",
  maxTokens: "options.num_predict",
  stop: "options.stop",
  format: "format",
  reasoning: "think",
  temperature: "options.temperature",
  topP: "options.top_p",
  topK: "options.top_k",
  presencePenalty: "options.presence_penalty",
  frequencyPenalty: "options.frequency_penalty",
  seed: "options.seed",
  logProbabilities: "logprobs",
} as const;

/** Ollama's chat (POST /api/chat), for clients only. The gateway calls Ollama servers on the chat wire. */
export const ollamaChatWire = {
  name: "ollama-chat",
  client: clientOf(chatForm, readChatParams, parseChat),
} as const;

/** Ollama's completion (POST /api/generate), for clients only. */
export const ollamaGenerateWire = {
  name: "ollama-generate",
  client: clientOf(generateForm, readGenerateParams, parseGenerate),
} as const;

type OllamaClient = TextClient<OllamaParams>;

function clientOf(form: AnswerForm, readParams: OllamaClient["readParams"], read: OllamaClient["read"]): OllamaClient {
  return {
    read,
    render: answerRenderer(form),
    stream: (context) => new LineWriter(context, form),
    spelling,
    readParams,
    inspectedMembers,
    answerPrefix: "",
    stores: plainDialect,
    streamType: "application/x-ndjson",
    keepAlive: keepAliveSpace,
    failureFrame: failureFrames.ollama,
    requestsReasoning: (body) => isReasoningRequested(body["think"]),
  };
}
