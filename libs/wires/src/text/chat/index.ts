import { readEndUser, isRecord, memberOf, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { parseFrameRecord, eventStreamFraming } from "@modelgate/formats/sse";
import { createdId, type StoreDialect } from "../../vendor-stores/members.ts";
import { identifyMessagesDialogue, requestsReasoning } from "../dialogue.ts";
import { fitToModel } from "../hub/openai-models.ts";
import type { TextWire } from "../hub/wire.ts";
import { lowerIndex, type TextPass } from "../pass.ts";
import { renderAnswer } from "./client-answer.ts";
import { readParams, inspectedMembers, parseRequest } from "./client-request.ts";
import { ChatWriter } from "./client-stream.ts";
import { fitBytes, fitRendered, hasUnsupportedFormat, hasUnsupportedMessage, type ChatDialect } from "./dialect.ts";
import { chatPass } from "./pass.ts";
import { requestedFees, readUsage } from "./usage.ts";
import { parseAnswer, failureOf } from "./vendor-answer.ts";
import { fieldSupport, renderRequest } from "./vendor-request.ts";
import { ChatReader } from "./vendor-stream.ts";

/** Rules for finding objects in the vendor's store. */
const chatStores = {
  members: [
    // DashScope's long-context models accept a file's id as the text of a system message.
    { names: ["content", "text"], store: "file", naming: "text" },
    { names: ["audio"], store: "audio", naming: "object" },
  ],
  opaque: ["parameters", "schema", "json_schema", "metadata", "logit_bias", "arguments"],
  created: {
    needles: ['"audio"'],
    isRequested: ({ audio }) => isRecord(audio),
    read: ({ choices }) =>
      asRecords(choices).flatMap(({ message, delta }) => {
        const audio = memberOf(message ?? delta, "audio");
        return createdId("audio", memberOf(audio, "id"));
      }),
  },
} as const satisfies StoreDialect;

export const chatWire = {
  name: "chat",
  framing: eventStreamFraming,
  isFirstEvent: isStreamStart,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: chatPass.usage,
    fees: chatPass.fees,
    stream: () => new ChatReader(),
    requestedFees,
    fields: fieldSupport,
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new ChatWriter(context),
    spelling: fieldSupport.spelling,
    readParams,
    inspectedMembers,
    answerPrefix: "chatcmpl-",
    stores: chatStores,
    endUser: readEndUser,
    keepAlive: chatPass.heartbeat,
    failureFrame: chatPass.failureFrame,
    dialogue: identifyMessagesDialogue,
    requestsReasoning,
  },
  pass: chatPass,
} as const satisfies TextWire<"chat">;

type ChatWire = TextWire<"chat">;

const dialectWireCache = new WeakMap<ChatDialect, ChatWire>();

/** Creates the chat wire in a vendor's dialect. */
export function chatWireForDialect(dialect: ChatDialect): ChatWire {
  const cached = dialectWireCache.get(dialect);
  if (cached !== undefined) return cached;
  const { vendor } = chatWire;
  const pass = dialectPass(dialect);
  const wire: ChatWire = {
    ...chatWire,
    pass,
    vendor: {
      ...vendor,
      render(request, target) {
        const rendered = renderRequest(request, target, dialect);
        const { body, dropped } = fitRendered(rendered.body, dialect);
        return { body, dropped: [...rendered.dropped, ...dropped] };
      },
      parse: (body) => parseAnswer(body, dialect),
      usage: pass.usage,
      stream: () => new ChatReader(dialect),
    },
  };
  dialectWireCache.set(dialect, wire);
  return wire;
}

function dialectPass(dialect: ChatDialect): TextPass {
  const { pass } = chatWire;
  const { maxTokens, alwaysReportsUsage, usageIn } = dialect;
  return {
    ...pass,
    // Members that only OpenAI refuses are forwarded, even to a vendor with OpenAI's models.
    *accepts(body) {
      return !(yield* hasUnsupportedMessage(body, dialect)) && !(yield* hasUnsupportedFormat(body, dialect));
    },
    outputLimitOrder: (model) =>
      maxTokens === undefined ? pass.outputLimitOrder(model) : [maxTokens, ...pass.outputLimitOrder(model)],
    upstreamBody: (body, change) =>
      pass.upstreamBody(body, { ...change, reportUsage: change.reportUsage && alwaysReportsUsage !== true }),
    *fit(body, { model }) {
      const accepted = yield* fitToModel(body, model, "chat");
      const fitted = yield* fitBytes(accepted.body, dialect);
      return { body: fitted.body, dropped: [...accepted.dropped, ...fitted.dropped] };
    },
    inspect(frame) {
      const seen = pass.inspect(frame);
      if (seen.usage === undefined && (usageIn === undefined || !frame.includes(usageIn))) return seen;
      const chunk = parseFrameRecord(frame);
      return chunk === undefined ? seen : { ...seen, usage: readUsage(chunk, dialect) };
    },
    ...(usageIn === undefined
      ? {}
      : { indexOfNotable: (frames) => lowerIndex(frames.indexOf(usageIn), pass.indexOfNotable?.(frames) ?? 0) }),
    usage(answer) {
      pass.usage(answer);
      return readUsage(answer, dialect);
    },
  };
}

/** Prefixes of `object` in chunks of this wire and of completions. */
const chunkObjectPrefixes = ["chat.completion", "text_completion"];

/** Returns true if an event can be the first one of a stream: a chunk of an answer, not an error. */
export function isStreamStart(event: JsonRecord): boolean {
  const { object, usage, error = null } = event;
  if ((object === "error" || error !== null) && failureOf(event) !== undefined) return false;
  const choices = event["choices"] ?? undefined;
  // Some vendors first send the model's name or the usage in a chunk without choices.
  if (choices === undefined)
    return (
      isRecord(usage) || (typeof object === "string" && chunkObjectPrefixes.some((prefix) => object.startsWith(prefix)))
    );
  return Array.isArray(choices) && choices.every(isRecord);
}
