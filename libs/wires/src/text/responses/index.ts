import { endUserIn } from "../../json/end-user.ts";
import { eventStreamFraming } from "../../sse/framing.ts";
import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/field-support.ts";
import { sharedThoughts } from "../thoughts.ts";
import { readAsk, relied } from "./ask.ts";
import { begins } from "./begins.ts";
import { countTokens } from "./count.ts";
import { readDialogue } from "./dialogue.ts";
import { fieldSupport } from "./field-support.ts";
import { askedFeesOf, capTools } from "./fees.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { responsesPass } from "./pass.ts";
import { ResponsesReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { leastOutputTokens, renderRequest } from "./render-request.ts";
import { stores } from "./stores.ts";
import { ResponsesWriter } from "./writer.ts";

/** The responses wire. */
export const responsesCodec = {
  name: "responses",
  framing: eventStreamFraming,
  begins,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: responsesPass.usage,
    fees: responsesPass.fees,
    stream: () => new ResponsesReader(),
    askedFees: askedFeesOf,
    leastBound: leastOutputTokens,
    capTools,
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new ResponsesWriter(context),
    spelling: {
      ...spellings(fieldSupport),
      presencePenalty: "presence_penalty",
      frequencyPenalty: "frequency_penalty",
    },
    ask: readAsk,
    relied,
    answerPrefix: "resp_",
    stores,
    endUser: endUserIn,
    keepAlive: responsesPass.heartbeat,
    failureFrame: responsesPass.failureFrame,
    dialogue: readDialogue,
    count: countTokens,
    thoughts: sharedThoughts,
  },
  pass: responsesPass,
} as const satisfies TextCodec<"responses">;
