import { eventStreamFraming } from "../../sse/framing.ts";
import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/field-support.ts";
import { readAsk, relied } from "./ask.ts";
import { begins } from "./begins.ts";
import { countTokens } from "./count.ts";
import { readDialogue } from "./dialogue.ts";
import { fieldSupport } from "./field-support.ts";
import { askedFeesOf } from "./fees.ts";
import { arrayFraming, sseFraming } from "./framing.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { contentPass } from "./pass.ts";
import { ContentReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { stores } from "./stores.ts";
import { thoughts } from "./thinking.ts";
import { ContentWriter } from "./writer.ts";

/** The content-generation wire. Its streams are server-sent events, or one JSON array where a client asks for that. */
export const contentCodec = {
  name: "content",
  framing: eventStreamFraming,
  begins,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: contentPass.usage,
    fees: contentPass.fees,
    stream: () => new ContentReader(),
    askedFees: askedFeesOf,
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new ContentWriter(context, sseFraming()),
    spelling: spellings(fieldSupport),
    ask: readAsk,
    relied,
    answerPrefix: "",
    stores,
    keepAlive: contentPass.heartbeat,
    failureFrame: contentPass.failureFrame,
    dialogue: readDialogue,
    thoughts,
    array: { framing: arrayFraming, stream: (context) => new ContentWriter(context, arrayFraming()) },
    count: countTokens,
  },
  pass: contentPass,
} as const satisfies TextCodec<"content">;
