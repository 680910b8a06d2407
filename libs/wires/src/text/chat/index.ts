import { endUserIn } from "../../json/end-user.ts";
import { eventStreamFraming } from "../../sse/framing.ts";
import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/field-support.ts";
import { sharedThoughts } from "../thoughts.ts";
import { readAsk, relied } from "./ask.ts";
import { begins } from "./begins.ts";
import { readDialogue } from "./dialogue.ts";
import { fieldSupport } from "./field-support.ts";
import { askedFeesOf } from "./fees.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { chatPass } from "./pass.ts";
import { ChatReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { stores } from "./stores.ts";
import { ChatWriter } from "./writer.ts";

/** The chat-completions wire. */
export const chatCodec = {
  name: "chat",
  framing: eventStreamFraming,
  begins,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: chatPass.usage,
    fees: chatPass.fees,
    stream: () => new ChatReader(),
    askedFees: askedFeesOf,
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new ChatWriter(context),
    spelling: spellings(fieldSupport),
    ask: readAsk,
    relied,
    answerPrefix: "chatcmpl-",
    stores,
    endUser: endUserIn,
    keepAlive: chatPass.heartbeat,
    failureFrame: chatPass.failureFrame,
    dialogue: readDialogue,
    thoughts: sharedThoughts,
  },
  pass: chatPass,
} as const satisfies TextCodec<"chat">;
