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

/** Passes text completions through unchanged. Chunks and errors have chat's form, except for the text's member. */
export const completionsPass: TextPass = {
  ...chatPass,
  boundOrder: () => ["max_tokens"],
  extractRawText: textFrom(choicesMember),
  earlyEnd: (options) => endChunksEarly(options, { text: "", logprobs: null, finish_reason: "length" }),
};

/** The completions wire. Chat models serve its clients too, one prompt per call. Its vendors serve no other clients. */
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
