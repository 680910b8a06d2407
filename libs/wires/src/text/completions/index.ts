import { endUserIn } from "../../json/end-user.ts";
import { eventStreamFraming } from "../../sse/framing.ts";
import { begins } from "../chat/begins.ts";
import { plainDialect } from "../../vendor-stores/members.ts";
import type { TextCodec } from "../hub/codec.ts";
import { readAsk, relied } from "./ask.ts";
import { hasSeveralPrompts } from "./parse-prompts.ts";
import { parsePromptRequests, parseRequest } from "./parse-request.ts";
import { completionsPass } from "./pass.ts";
import { renderAnswer, renderPromptAnswers } from "./render-answer.ts";
import { streamPromptAnswers } from "./stream-answers.ts";
import { CompletionsWriter } from "./writer.ts";

/**
 * The completions wire (POST /v1/completions): its clients are served through models that only chat too, one prompt a
 * call (several prompts: `batch`); its vendors are reached by its own clients only.
 */
export const completionsCodec = {
  name: "completions",
  framing: eventStreamFraming,
  begins,
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
    ask: readAsk,
    relied,
    answerPrefix: "cmpl-",
    stores: plainDialect,
    endUser: endUserIn,
    keepAlive: completionsPass.heartbeat,
    failureFrame: completionsPass.failureFrame,
    batch: {
      isBatch: hasSeveralPrompts,
      read: parsePromptRequests,
      render: renderPromptAnswers,
      stream: streamPromptAnswers,
    },
  },
  pass: completionsPass,
} as const satisfies TextCodec<"completions">;
