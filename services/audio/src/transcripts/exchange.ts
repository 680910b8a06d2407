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
import { beginsWith, brokenByVendor, eventsThrough } from "../event-stream.ts";
import { formBody } from "../upload/form-body.ts";
import type { Upload } from "../upload/upload.ts";

/** Formats rendered from a vendor's JSON, with their content types. */
const rendered: Readonly<
  Partial<Record<TranscriptFormat, { readonly contentType: string; readonly render: typeof asText }>>
> = {
  text: { contentType: "text/plain; charset=utf-8", render: asText },
  srt: { contentType: "application/x-subrip; charset=utf-8", render: asSrt },
  vtt: { contentType: "text/vtt; charset=utf-8", render: asVtt },
};

/** Wire of both endpoints, whose requests and answers are the same. */
const own = wires.transcriptions;

/** A call for a transcript. */
export interface TranscriptCall {
  readonly wire: TranscriptsWire;
  readonly upload: Upload;
  /** Returns the parsed form. Throws Failure (400) for an invalid or incomplete form. */
  readonly request: () => TranscriptsRequest;
}

/**
 * Creates the exchange of one transcript attempt. Requests JSON or a stream from the vendor, and renders the client's
 * format from it. If the vendor cannot stream, the client's stream has a single part.
 */
export function transcriptExchange({ wire, upload, request }: TranscriptCall, model: string): Exchange {
  // The fields before the file already show whether this vendor's model can answer; another may.
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
    read: (head) => (isEventStream(head) ? eventsReader : wholeReader(request)),
  };
}

/** Reads an event stream. */
const eventsReader: AnswerReader = {
  kind: "stream",
  framing: eventStreamFraming,
  begins: (first) => beginsWith(first, own.vendor.stream().read),
  translator: transcriptEvents,
};

/** Reads a JSON transcript, and renders it in the client's format, which is known by then. */
function wholeReader(request: () => TranscriptsRequest): AnswerReader {
  return {
    kind: "whole",
    async read(bytes) {
      const answer = await parseAnswer(bytes);
      return { usage: own.vendor.usage(answer), ...renderAnswer(bytes, answer, request()) };
    },
  };
}

/**
 * Renders an answer in the client's format. Throws Failure upstream_error for an answer that the format cannot express.
 */
export function renderAnswer(
  bytes: Buffer,
  answer: JsonRecord,
  { format, stream }: Pick<TranscriptsRequest, "format" | "stream">,
  transcript: Transcript = own.vendor.parse(answer),
): WholeAnswer {
  const words = (): string => transcript.text;
  if (stream) return { body: Buffer.from(own.client.events(answer)), contentType: eventStream, words };
  const how = rendered[format];
  if (how === undefined) return { body: bytes, words };
  return { body: Buffer.from(how.render(transcript)), contentType: how.contentType, words };
}

/** Passes a vendor's stream through, and reads its text, end and usage. */
function transcriptEvents(): StreamTranslator {
  const reader = own.vendor.stream();
  return eventsThrough((frame) => {
    const event = reader.read(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "delta") return { done: false, words: event.text };
    if (event.kind === "done") return { done: true, usage: own.vendor.usage(event.body) ?? {} };
    return { done: false };
  });
}
