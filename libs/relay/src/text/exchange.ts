import type { Failure } from "@modelgate/contracts";
import { once } from "@modelgate/platform";
import {
  arrayFraming,
  clientCodecs,
  contentArrayWriter,
  hasEnvelope,
  textCodecs,
  textPasses,
  unsealed,
  type AnswerContext,
  type ClientWire,
  type JsonObject,
  type Parsed,
  type TextWire,
} from "@modelgate/wires";
import { eventStream, type CarriedAnswer, type Exchange } from "../exchange.ts";
import { gearOf } from "../gear.ts";
import { tellLosses } from "../losses.ts";
import type { Waiting } from "../waiting.ts";
import { ConvertStream } from "./convert-stream.ts";
import { PassStream } from "./pass-stream.ts";
import { hasSeveralPrompts, severalPrompts } from "./several-prompts.ts";
import { wordsOf } from "./words-of.ts";

/** A text call as its client made it. */
export interface TextCall {
  readonly wire: ClientWire;
  /** The client's body, untouched. */
  readonly body: Buffer;
  /** The client's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client asked for usage at a stream's end. */
  readonly includeUsage: boolean;
  /** Answers that the client asked for. */
  readonly choices: number;
  /** Whether the client wants a refusal rather than a dropped hint. */
  readonly strict: boolean;
  /** Whether a stream of generated content is one JSON array (no `alt=sse`). */
  readonly asArray?: boolean | undefined;
  /** Tokens asked for where a vendor's wire demands a number and the client gave none. */
  readonly defaultMaxTokens: number;
  readonly answerId: string;
  /** Members that the answer repeats otherwise than the body says them. */
  readonly echo?: JsonObject | undefined;
  /** The gateway's count of input tokens, for wires that tell it at a stream's start. */
  readonly inputTokens: number;
}

/**
 * The exchanges of one text call: with a vendor of its own wire it is passed on, with any other it is converted. So is
 * one that carries another vendor's seals in its history: they must not reach this one. `unsealed` leaves out all
 * seals, also those of the vendor's own wire.
 */
export function textExchanges(
  call: TextCall,
): (wire: ClientWire, upstreamModel: string, history?: "unsealed") => Exchange {
  const read = once(() => readRequest(call));
  const readUnsealed = (): ReadRequest => {
    const { asked, parsed } = read();
    return { asked, parsed: { ...parsed, request: unsealed(parsed.request) } };
  };
  // The messages wire leaves out what is sealed by others itself.
  const passes = call.wire === "messages" || !hasEnvelope(call.body);
  const takes = (wire: ClientWire, model: string): boolean => textPasses[wire].takes?.(call.body, model) ?? true;
  return (wire, upstreamModel, history) => {
    if (wire === "completions" || (wire === call.wire && passes && history === undefined && takes(wire, upstreamModel)))
      return passed(call, upstreamModel);
    if (call.wire === "completions" && call.choices > 1 && hasSeveralPrompts(call.body))
      return severalPrompts(call, wire, upstreamModel);
    return converted(call, wire, upstreamModel, history === "unsealed" ? readUnsealed : read);
  };
}

/** The same wire at both ends. */
function passed(call: TextCall, upstreamModel: string): Exchange {
  const pass = textPasses[call.wire];
  const { model, stream, includeUsage } = call;
  const rename = upstreamModel === model ? undefined : model;
  const framing = call.asArray === true ? arrayFraming() : undefined;
  const gear = framing === undefined ? gearOf({ model, upstreamModel, stream, includeUsage }) : "patched";
  return {
    wire: call.wire,
    body: pass.upstreamBody(call.body, {
      model: rename === undefined ? undefined : upstreamModel,
      reportUsage: stream && !includeUsage,
    }),
    dropped: [],
    refuses: (frame) => pass.see(frame).failed,
    usageOf: pass.answerUsage,
    whole: (answer) => ({
      json: rename === undefined ? answer : pass.renameAnswer(answer, rename),
      words: () => pass.wordsOf(answer.toString()),
    }),
    stream(produced, gate) {
      const early = gate === undefined ? undefined : pass.earlyEnd?.(call);
      return new PassStream({ pass, gear, rename, hideUsage: !includeUsage, framing, early, gate }, produced);
    },
  };
}

/** What the client said, in the neutral form; and as it came, for wires that repeat it. */
interface ReadRequest {
  readonly asked: JsonObject;
  readonly parsed: Parsed;
}

function readRequest({ wire, body, model, stream, echo }: TextCall): ReadRequest {
  const asked: JsonObject = JSON.parse(body.toString());
  return { asked: { ...asked, ...echo }, parsed: clientCodecs[wire].parseRequest(asked, { model, stream }) };
}

/** Another wire at the vendor's end. Throws Failure unsupported_parameter for what it cannot say. */
function converted(call: TextCall, wire: TextWire, upstreamModel: string, read: () => ReadRequest): Exchange {
  const [client, vendor] = [clientCodecs[call.wire], textCodecs[wire]];
  const { asked, parsed } = read();
  const asker = { spelling: client.spelling, strict: call.strict };
  const { body, dropped } = tellLosses(asker, parsed.dropped, () =>
    vendor.renderRequest(parsed.request, { model: upstreamModel, defaultMaxTokens: call.defaultMaxTokens }),
  );
  const context = (): AnswerContext => ({
    model: call.model,
    asked,
    request: parsed.request,
    answerId: call.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: call.inputTokens,
  });
  return {
    wire,
    body: Buffer.from(JSON.stringify(body)),
    dropped,
    refuses: (frame) => textPasses[wire].see(frame).failed,
    usageOf: textPasses[wire].answerUsage,
    whole(answer): CarriedAnswer {
      const told = vendor.parseAnswer(JSON.parse(answer.toString()));
      const json = Buffer.from(JSON.stringify(client.renderAnswer(told, context())));
      return { json, words: () => wordsOf(told) };
    },
    stream(produced, gate) {
      const framing = call.asArray === true ? arrayFraming() : undefined;
      const writer = framing === undefined ? client.writer(context()) : contentArrayWriter(context());
      return new ConvertStream({ wire, writer, contentType: framing?.contentType, gate }, produced);
    },
  };
}

/** How a client of a wire is kept waiting, and told of a failure, before its stream begins. */
export function waitingIn({ wire, asArray = false }: Pick<TextCall, "wire" | "asArray">): Waiting {
  const pass = textPasses[wire];
  const frame = (failure: Failure, requestId: string): string => pass.failureFrame(failure, requestId);
  // A ping of the messages wire stands behind its first event only.
  const sign = wire === "messages" ? ": keep-alive\n\n" : pass.heartbeat;
  if (!asArray) return { contentType: eventStream, sign, fail: frame };
  const framing = arrayFraming();
  const fail = (failure: Failure, requestId: string): string =>
    framing.reframe(Buffer.from(frame(failure, requestId))) + framing.end();
  return { contentType: framing.contentType, sign: framing.heartbeat(), fail };
}
