import type { ClientCodec } from "../hub/codec.ts";
import { parseRequest } from "./parse-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { CompletionsWriter } from "./writer.ts";

/**
 * The client's half of the completions wire (POST /v1/completions), for models that only chat: one prompt, one call.
 * Several prompts are `parseRequests`, `renderAnswers` and `streamAnswers`. A vendor that has the endpoint gets
 * the request as it is (`pass.ts`).
 */
export const completionsCodec: ClientCodec = {
  parseRequest,
  renderAnswer,
  writer: (context) => new CompletionsWriter(context),
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
};
