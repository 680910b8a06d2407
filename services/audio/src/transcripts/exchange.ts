import type { TranscriptsWire } from "@modelgate/contracts";
import {
  eventStream,
  isEventStream,
  parseAnswer,
  type StreamTranslator,
  type AnswerReader,
  type Exchange,
  type WholeAnswer,
} from "@modelgate/relay";
import type { JsonRecord } from "@modelgate/wires/json";
import { eventStreamFraming } from "@modelgate/wires/sse";
import {
  asSrt,
  asText,
  asVtt,
  wires,
  type Transcript,
  type TranscriptFormat,
  type TranscriptsRequest,
} from "@modelgate/wires/transcripts";
import { canBeginAnswer, vendorErrorFailure, passEvents } from "../event-stream.ts";
import { formBody } from "../upload/form-body.ts";
import type { Upload } from "../upload/upload.ts";

/** Transcript formats that the gateway renders from a vendor's JSON, with their content types. */
const convertedFormats: Readonly<
  Partial<Record<TranscriptFormat, { readonly contentType: string; readonly render: typeof asText }>>
> = {
  text: { contentType: "text/plain; charset=utf-8", render: asText },
  srt: { contentType: "application/x-subrip; charset=utf-8", render: asSrt },
  vtt: { contentType: "text/vtt; charset=utf-8", render: asVtt },
};

/** Wire of transcriptions. Translations have the same answers. */
const transcriptionsWire = wires.transcriptions;

/** A call for a transcript. */
export interface TranscriptCall {
  readonly wire: TranscriptsWire;
  readonly upload: Upload;
  /** Returns the parsed form. Throws Failure (400) for an invalid or incomplete form. */
  readonly request: () => TranscriptsRequest;
}

/**
 * Creates the exchange of one transcript attempt. Requests JSON or a stream from the vendor, and renders the answer in
 * the client's format. If the vendor answers a stream request with JSON, the client's stream has a single part.
 */
export function transcriptExchange({ wire, upload, request }: TranscriptCall, model: string): Exchange {
  // The fields before the file may already rule out this vendor's model; then another vendor is tried.
  const known = upload.entries.filter(([name]) => name === "model" || name === "response_format");
  const { client, vendor } = wires[wire];
  if (!upload.isWhole) vendor.render(client.read(known), { model });
  const { body, headers } = formBody(upload, ["model", model], () => vendor.render(request(), { model }).entries);
  return {
    wire,
    body,
    headers: { ...headers, accept: "application/json, text/event-stream" },
    streams: false,
    dropped: [],
    read: (head) => (isEventStream(head) ? eventsReader : documentReader(request)),
  };
}

/** Reader of a vendor's event stream. */
const eventsReader: AnswerReader = {
  kind: "stream",
  framing: eventStreamFraming,
  begins: (first) => canBeginAnswer(first, transcriptionsWire.vendor.stream().read),
  translator: passTranscriptEvents,
};

/** Creates the reader of a JSON transcript, which is rendered in the client's format. The form is complete by then. */
function documentReader(request: () => TranscriptsRequest): AnswerReader {
  return {
    kind: "whole",
    async read(bytes) {
      const answer = await parseAnswer(bytes);
      return { usage: transcriptionsWire.vendor.usage(answer), ...renderAnswer(bytes, answer, request()) };
    },
  };
}

/**
 * Renders an answer in the client's format. Throws Failure upstream_error if the answer lacks what the format needs.
 */
export function renderAnswer(
  bytes: Buffer,
  answer: JsonRecord,
  { format, stream }: Pick<TranscriptsRequest, "format" | "stream">,
  transcript: Transcript = transcriptionsWire.vendor.parse(answer),
): WholeAnswer {
  const words = (): string => transcript.text;
  if (stream) return { body: Buffer.from(transcriptionsWire.client.events(answer)), contentType: eventStream, words };
  const how = convertedFormats[format];
  if (how === undefined) return { body: bytes, words };
  return { body: Buffer.from(how.render(transcript)), contentType: how.contentType, words };
}

/** Creates a translator that passes a vendor's stream unchanged, and reads its text, end and usage. */
function passTranscriptEvents(): StreamTranslator {
  const reader = transcriptionsWire.vendor.stream();
  return passEvents((frame) => {
    const event = reader.read(frame);
    if (event.kind === "error") throw vendorErrorFailure();
    if (event.kind === "delta") return { done: false, words: event.text };
    if (event.kind === "done") return { done: true, usage: transcriptionsWire.vendor.usage(event.body) ?? {} };
    return { done: false };
  });
}
