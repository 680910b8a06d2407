import { readEndUser } from "@modelgate/formats/json";
import { eventStreamFraming } from "@modelgate/formats/sse";
import { plainDialect } from "../../vendor-stores/members.ts";
import { isStreamStart } from "../chat/index.ts";
import { endChunksEarly, chatPass } from "../chat/pass.ts";
import type { TextWire } from "../hub/wire.ts";
import { textFrom, type TextPass } from "../pass.ts";
import { renderAnswer, renderPromptAnswers } from "./answer.ts";
import {
  defaultMaxTokens,
  isBatch,
  readParams,
  inspectedMembers,
  parsePromptRequests,
  parseRequest,
} from "./request.ts";
import { streamPromptAnswers, CompletionsWriter } from "./stream.ts";

const choicesMember = Buffer.from('"choices"');

/** Forwarder of text completions. Chunks and errors have the form of chat, except for the text. */
export const completionsPass: TextPass = {
  ...chatPass,
  outputLimitOrder: () => ["max_tokens"],
  extractRawText: textFrom(choicesMember),
  earlyEnd: (options) => endChunksEarly(options, { text: "", logprobs: null, finish_reason: "length" }),
};

/** Text completions. Chat models also answer them; each prompt becomes one call. */
export const completionsWire = {
  name: "completions",
  framing: eventStreamFraming,
  isFirstEvent: isStreamStart,
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new CompletionsWriter(context),
    spelling: {
      maxTokens: "max_tokens",
      stop: "stop",
      temperature: "temperature",
      topP: "top_p",
      presencePenalty: "presence_penalty",
      frequencyPenalty: "frequency_penalty",
      seed: "seed",
      choices: "n",
      logProbabilities: "logprobs",
      logitBias: "logit_bias",
      user: "user",
    },
    readParams,
    inspectedMembers,
    answerPrefix: "cmpl-",
    defaultMaxTokens,
    stores: plainDialect,
    endUser: readEndUser,
    keepAlive: completionsPass.heartbeat,
    failureFrame: completionsPass.failureFrame,
    batch: {
      isBatch,
      read: parsePromptRequests,
      render: renderPromptAnswers,
      renderStream: streamPromptAnswers,
    },
  },
  pass: completionsPass,
} as const satisfies TextWire<"completions">;
