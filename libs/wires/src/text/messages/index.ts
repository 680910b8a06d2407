import { eventStreamFraming } from "../../sse/framing.ts";
import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/field-support.ts";
import { sharedThoughts } from "../thoughts.ts";
import { readAsk, relied } from "./ask.ts";
import { begins } from "./begins.ts";
import { countTokens } from "./count.ts";
import { readDialogue } from "./dialogue.ts";
import { readEndUser } from "./end-user.ts";
import { fieldSupport } from "./field-support.ts";
import { askedFeesOf, capTools } from "./fees.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { messagesPass } from "./pass.ts";
import { MessagesReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { stores } from "./stores.ts";
import { MessagesWriter } from "./writer.ts";

/** The messages wire. */
export const messagesCodec = {
  name: "messages",
  framing: eventStreamFraming,
  begins,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: messagesPass.usage,
    fees: messagesPass.fees,
    stream: () => new MessagesReader(),
    askedFees: askedFeesOf,
    capTools,
    raisedBound: "max_tokens",
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new MessagesWriter(context),
    spelling: spellings(fieldSupport),
    ask: readAsk,
    relied,
    answerPrefix: "msg_",
    stores,
    endUser: readEndUser,
    // A ping may only stand behind the stream's first event.
    keepAlive: ": keep-alive\n\n",
    failureFrame: messagesPass.failureFrame,
    dialogue: readDialogue,
    thoughts: sharedThoughts,
    count: countTokens,
  },
  pass: messagesPass,
} as const satisfies TextCodec<"messages">;
