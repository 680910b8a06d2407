import { Failure, type UpstreamWire } from "@modelgate/contracts";
import {
  byteFraming,
  eventStream,
  isEventStream,
  parseAnswer,
  renderSupported,
  type AnswerHead,
  type AnswerReader,
  type Exchange,
  type WholeAnswer,
} from "@modelgate/relay";
import {
  speechCodec,
  speechFormats,
  vendorSpeechCodecs,
  type SpeechRequest,
  type SpeechVendorCodec,
} from "@modelgate/wires/speech";
import { eventStreamFraming } from "@modelgate/wires/sse";
import { beginsWith } from "../event-stream.ts";
import { audioAsEvents, audioThrough, eventsAsAudio, speechEvents } from "./translators.ts";

/** A call for speech. */
export interface SpeechCall {
  readonly request: SpeechRequest;
  /** Whether the client wants a refusal rather than a dropped hint. */
  readonly strict: boolean;
}

/**
 * One attempt at speech. A vendor answers with audio or with events, whichever it was asked for: each is brought to the
 * client as the client asked, piece by piece as it comes.
 */
export function speechExchange(
  { request, strict }: SpeechCall,
  target: { readonly model: string; readonly events: boolean },
  wire: UpstreamWire,
): Exchange {
  if (isVendorsWire(wire)) return vendorsExchange({ request, strict }, vendorSpeechCodecs[wire], target.model);
  const { body, dropped } = speechCodec.renderRequest(request, target);
  return {
    wire: speechCodec.wire,
    body: Buffer.from(JSON.stringify(body)),
    headers: { accept: target.events ? "text/event-stream" : "*/*" },
    streams: true,
    dropped,
    read: (head) => readSpeech(request, head),
  };
}

function isVendorsWire(wire: UpstreamWire): wire is keyof typeof vendorSpeechCodecs {
  return Object.hasOwn(vendorSpeechCodecs, wire);
}

/** One attempt in a wire that only vendors speak: audio as it comes, or all of it in JSON. */
function vendorsExchange({ request, strict }: SpeechCall, codec: SpeechVendorCodec, model: string): Exchange {
  const { body, dropped, query } = renderSupported({ spelling: speechCodec.spelling, strict }, [], () =>
    codec.renderRequest(request, { model }),
  );
  const { parseAnswer: parse } = codec;
  return {
    wire: codec.wire,
    body: Buffer.from(JSON.stringify(body)),
    query,
    headers: parse === undefined ? { accept: "*/*" } : undefined,
    streams: parse === undefined,
    dropped,
    read: (head) =>
      parse === undefined
        ? readSpeech(request, head)
        : { kind: "whole", read: async (bytes) => asWanted(request, parse(await parseAnswer(bytes), request)) },
  };
}

/** Speech that is whole, as the client asked for it. */
function asWanted(
  { events }: SpeechRequest,
  { audio, contentType, usage }: ReturnType<NonNullable<SpeechVendorCodec["parseAnswer"]>>,
): WholeAnswer {
  const words = (): string => "";
  if (!events) return { body: audio, contentType, usage, words };
  const stream = speechCodec.writeAudio(audio) + speechCodec.writeDone(usage ?? {});
  return { body: Buffer.from(stream), contentType: eventStream, usage, words };
}

/** Reads events, or bytes of audio. Throws Failure for what is neither: it is an error in disguise. */
function readSpeech(request: SpeechRequest, head: AnswerHead): AnswerReader {
  const type = String(head.headers["content-type"] ?? "");
  const usual = speechFormats[request.format];
  if (isEventStream(head))
    return {
      kind: "stream",
      framing: eventStreamFraming,
      begins: (first) => beginsWith(first, speechCodec.readEvent),
      translator: () => (request.events ? speechEvents() : eventsAsAudio(usual)),
    };
  const isAudio = type.startsWith("audio/");
  if (!isAudio && !type.startsWith("application/octet-stream"))
    throw new Failure("upstream_error", "The vendor did not answer with audio.");
  return {
    kind: "stream",
    framing: byteFraming,
    begins: () => true,
    // What the vendor says that it sends is what the client gets to know.
    translator: () => (request.events ? audioAsEvents(request) : audioThrough(isAudio ? type : usual)),
  };
}
