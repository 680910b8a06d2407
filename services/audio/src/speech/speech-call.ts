import { Failure } from "@modelgate/contracts";
import {
  byteFraming,
  eventStream,
  isEventStream,
  type AnswerReader,
  type ConvertedCall,
  type UpstreamHead,
  type CompleteAnswer,
} from "@modelgate/relay";
import {
  speechFormats,
  wires,
  type SpeechAnswer,
  type SpeechRequest,
  type SpeechTarget,
  type SpeechVendor,
} from "@modelgate/wires/speech";
import { eventStreamFraming } from "@modelgate/formats/sse";
import { canBeginAnswer } from "../event-stream.ts";
import { audioToEvents, passAudio, eventsToAudio, passSpeechEvents } from "./translators.ts";

const { speech } = wires;

/** Prepares a request for speech for its conversion to the wires of vendors. */
export function speechCall(
  request: SpeechRequest,
  refusesUnsupported: boolean,
): ConvertedCall<SpeechVendor, SpeechRequest, SpeechAnswer> {
  return {
    unsupportedRules: { spelling: speech.client.spelling, refusesUnsupported },
    dropped: [],
    bodyBytes: Buffer.byteLength(request.input),
    requests: () => [request],
    async write({ body }, { parse, stream }, target: SpeechTarget) {
      const accept = stream !== undefined && target.events ? "text/event-stream" : "*/*";
      return {
        body: Buffer.from(JSON.stringify(body)),
        isStreamed: parse === undefined,
        headers: parse === undefined ? { accept } : undefined,
      };
    },
    reader: (head, { parse }) => (parse === undefined ? readSpeech(request, head) : undefined),
    render: ([{ answer }]) => renderSpeech(request, answer),
  };
}

function renderSpeech(request: SpeechRequest, answer: SpeechAnswer): CompleteAnswer {
  const { usage } = answer;
  const { audio, contentType } = speech.client.render(answer, request);
  if (!request.events) return { body: audio, contentType, usage };
  const { write } = speech.client.stream();
  const stream = write({ kind: "audio", bytes: audio }) + write({ kind: "done", usage });
  return { body: Buffer.from(stream), contentType: eventStream, usage };
}

/** Creates the reader of events or audio bytes. Throws Failure for any other content type. */
function readSpeech(request: SpeechRequest, head: UpstreamHead): AnswerReader {
  const type = String(head.headers["content-type"] ?? "");
  const defaultType = speechFormats[request.format];
  if (isEventStream(head))
    return {
      kind: "stream",
      framing: eventStreamFraming,
      isFirstFrame: (first) => canBeginAnswer(first, speech.vendor.stream().read),
      translator: () => (request.events ? passSpeechEvents() : eventsToAudio(defaultType)),
    };
  const isAudio = type.startsWith("audio/");
  if (!isAudio && !type.startsWith("application/octet-stream"))
    throw new Failure("upstream_error", "The vendor did not answer with audio.");
  return {
    kind: "stream",
    framing: byteFraming,
    isFirstFrame: () => true,
    translator: () => (request.events ? audioToEvents(request) : passAudio(isAudio ? type : defaultType)),
  };
}
