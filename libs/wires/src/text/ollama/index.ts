import { failureFrames } from "@modelgate/contracts";
import type { TextClient, ParsedText } from "../hub/wire.ts";
import type { JsonObject } from "../hub/request.ts";
import { plainDialect } from "../../vendor-stores/members.ts";
import { asksToThink } from "../dialogue.ts";
import { askOfChat, askOfGenerate, relied, type OllamaAsk, parseChat, parseGenerate } from "./request.ts";
import { chatForm, generateForm, type AnswerForm, renderAnswerIn } from "./answer.ts";
import { LineWriter, silence } from "./stream.ts";

/** Spelling of the fields of the neutral form. */
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

/** The chat of Ollama's clients (POST /api/chat), over vendors of every text wire; Ollama itself is reached by the chat wire. */
export const ollamaChatWire = {
  name: "ollama-chat",
  client: clientOf({ ask: askOfChat, parseRequest: parseChat, form: chatForm }),
} as const;

/** The continued prompt of Ollama's clients (POST /api/generate). */
export const ollamaGenerateWire = {
  name: "ollama-generate",
  client: clientOf({ ask: askOfGenerate, parseRequest: parseGenerate, form: generateForm }),
} as const;

/** Differences of the two endpoints. */
interface OllamaEndpoint {
  readonly ask: (body: unknown) => OllamaAsk;
  readonly parseRequest: (body: JsonObject) => ParsedText;
  readonly form: AnswerForm;
}

function clientOf({ ask, parseRequest, form }: OllamaEndpoint): TextClient<OllamaAsk> {
  return {
    read: parseRequest,
    render: renderAnswerIn(form),
    stream: (context) => new LineWriter(context, form),
    spelling,
    ask,
    relied,
    answerPrefix: "",
    stores: plainDialect,
    streamType: "application/x-ndjson",
    keepAlive: silence,
    failureFrame: failureFrames.ollama,
    thoughts: { words: [Buffer.from("hink")], asked: (body) => asksToThink(body["think"]) },
  };
}
