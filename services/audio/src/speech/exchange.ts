import { Failure } from "@modelgate/contracts";
import { byteFraming, isEventStream, type AnswerHead, type AnswerReader, type Exchange } from "@modelgate/relay";
import { speechCodec, speechFormats, type SpeechRequest } from "@modelgate/wires/speech";
import { eventStreamFraming } from "@modelgate/wires/sse";
import { beginsWith } from "../event-stream.ts";
import { audioAsEvents, audioThrough, eventsAsAudio, speechEvents } from "./translators.ts";

/**
 * One attempt at speech. A vendor answers with audio or with events, whichever it was asked for: each is brought to the
 * client as the client asked, piece by piece as it comes.
 */
export function speechExchange(
  request: SpeechRequest,
  target: { readonly model: string; readonly events: boolean },
): Exchange {
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
