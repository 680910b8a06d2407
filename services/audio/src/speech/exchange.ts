import { Failure, type UpstreamWire } from "@modelgate/contracts";
import {
  byteFraming,
  eventStream,
  isEventStream,
  parseAnswer,
  renderSupported,
  type UpstreamHead,
  type AnswerReader,
  type Exchange,
  type WholeAnswer,
} from "@modelgate/relay";
import {
  speechFormats,
  wires,
  type SpeechAnswer,
  type SpeechRequest,
  type SpeechVendor,
} from "@modelgate/wires/speech";
import type { JsonRecord } from "@modelgate/wires/json";
import { eventStreamFraming } from "@modelgate/wires/sse";
import { vendorWire } from "@modelgate/wires/wire";
import { beginsWith } from "../event-stream.ts";
import { audioAsEvents, audioThrough, eventsAsAudio, speechEvents } from "./translators.ts";

const { speech } = wires;

/** A call for speech. */
export interface SpeechCall {
  readonly request: SpeechRequest;
  /** True if a parameter that the vendor cannot use is refused; otherwise it is left out and named to the client. */
  readonly strict: boolean;
}

/**
 * One attempt at speech. A vendor answers with audio or with events, as requested: each is brought to the
 * client in the form of its request, piece by piece as it comes.
 */
export function speechExchange(
  { request, strict }: SpeechCall,
  target: { readonly model: string; readonly events: boolean },
  wire: UpstreamWire,
): Exchange {
  const { vendor } = vendorWire<SpeechVendor>(wires, wire);
  const { body, dropped, query } = renderSupported({ spelling: speech.client.spelling, strict }, [], () =>
    vendor.render(request, target),
  );
  const { parse } = vendor;
  const events = vendor.event !== undefined && target.events;
  return {
    wire,
    body: Buffer.from(JSON.stringify(body)),
    query,
    headers: parse === undefined ? { accept: events ? "text/event-stream" : "*/*" } : undefined,
    streams: parse === undefined,
    dropped,
    read: (head) => (parse === undefined ? readSpeech(request, head) : wholeReader(request, parse)),
  };
}

/** Reads speech in one piece of JSON, and renders it as the client wants it. */
function wholeReader(request: SpeechRequest, parse: (answer: JsonRecord) => SpeechAnswer): AnswerReader {
  return { kind: "whole", read: async (bytes) => renderSpeech(request, parse(await parseAnswer(bytes))) };
}

function renderSpeech(request: SpeechRequest, answer: SpeechAnswer): WholeAnswer {
  const { usage } = answer;
  const { audio, contentType } = speech.client.render(answer, request);
  const words = (): string => "";
  if (!request.events) return { body: audio, contentType, usage, words };
  const stream = speech.client.audioEvent(audio) + speech.client.doneEvent(usage ?? {});
  return { body: Buffer.from(stream), contentType: eventStream, usage, words };
}

/** Reads events, or bytes of audio. Throws Failure for what is neither: it is an error in disguise. */
function readSpeech(request: SpeechRequest, head: UpstreamHead): AnswerReader {
  const type = String(head.headers["content-type"] ?? "");
  const usual = speechFormats[request.format];
  if (isEventStream(head))
    return {
      kind: "stream",
      framing: eventStreamFraming,
      begins: (first) => beginsWith(first, speech.vendor.event),
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
