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
import { canBeginAnswer } from "../event-stream.ts";
import { audioToEvents, passAudio, eventsToAudio, passSpeechEvents } from "./translators.ts";

const { speech } = wires;

/** Speech call: the request, and the handling of unsupported parameters. */
export interface SpeechCall {
  readonly request: SpeechRequest;
  /** True if an unsupported parameter is refused; otherwise the parameter is dropped and reported to the client. */
  readonly strict: boolean;
}

/**
 * Creates the exchange of one attempt to synthesize speech. The vendor answers with audio or events, as `target` says;
 * the client gets the form that it requested.
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
  const events = vendor.stream !== undefined && target.events;
  return {
    wire,
    body: Buffer.from(JSON.stringify(body)),
    query,
    headers: parse === undefined ? { accept: events ? "text/event-stream" : "*/*" } : undefined,
    streams: parse === undefined,
    dropped,
    read: (head) => (parse === undefined ? readSpeech(request, head) : documentReader(request, parse)),
  };
}

/** Creates the reader of speech in one JSON document, which is rendered as the client requested. */
function documentReader(request: SpeechRequest, parse: (answer: JsonRecord) => SpeechAnswer): AnswerReader {
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

/**
 * Creates the reader of events or audio bytes. Throws Failure for any other content type, since the vendor then reports
 * an error despite its success status.
 */
function readSpeech(request: SpeechRequest, head: UpstreamHead): AnswerReader {
  const type = String(head.headers["content-type"] ?? "");
  const usual = speechFormats[request.format];
  if (isEventStream(head))
    return {
      kind: "stream",
      framing: eventStreamFraming,
      begins: (first) => canBeginAnswer(first, speech.vendor.stream().read),
      translator: () => (request.events ? passSpeechEvents() : eventsToAudio(usual)),
    };
  const isAudio = type.startsWith("audio/");
  if (!isAudio && !type.startsWith("application/octet-stream"))
    throw new Failure("upstream_error", "The vendor did not answer with audio.");
  return {
    kind: "stream",
    framing: byteFraming,
    begins: () => true,
    // The client gets the content type that the vendor reports.
    translator: () => (request.events ? audioToEvents(request) : passAudio(isAudio ? type : usual)),
  };
}
