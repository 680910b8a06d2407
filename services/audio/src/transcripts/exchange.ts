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

/** Formats that are made of a vendor's JSON, and what they are. */
const rendered: Readonly<
  Partial<Record<TranscriptFormat, { readonly contentType: string; readonly render: typeof asText }>>
> = {
  text: { contentType: "text/plain; charset=utf-8", render: asText },
  srt: { contentType: "application/x-subrip; charset=utf-8", render: asSrt },
  vtt: { contentType: "text/vtt; charset=utf-8", render: asVtt },
};

/** The wire of both endpoints, which read and write the same answers. */
const own = wires.transcriptions;

/** A call for a transcript. */
export interface TranscriptCall {
  readonly wire: TranscriptsWire;
  readonly upload: Upload;
  /** Returns the parsed form. Throws Failure (400) for a form that is wrong, or not whole yet. */
  readonly request: () => TranscriptsRequest;
}

/**
 * One attempt at a transcript. The request to the vendor is for JSON, or for a stream; the client's format is made of it.
 * Where the vendor cannot stream, the client's stream comes in one piece.
 */
export function transcriptExchange({ wire, upload, request }: TranscriptCall, model: string): Exchange {
  // What came before the file decides already whether this vendor's model can answer: another may.
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

/** Reads a stream of events. */
const eventsReader: AnswerReader = {
  kind: "stream",
  framing: eventStreamFraming,
  begins: (first) => beginsWith(first, own.vendor.event),
  translator: transcriptEvents,
};

/** Reads a transcript in JSON, and renders it in the format that the client requested, which is known by now. */
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
 * Renders an answer in the format that the client requested. Throws Failure upstream_error for an answer that the
 * format cannot express.
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

/** Passes a vendor's stream unchanged, and reads its text, its end and its usage. */
function transcriptEvents(): StreamTranslator {
  return eventsThrough((frame) => {
    const event = own.vendor.event(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "delta") return { done: false, words: event.text };
    if (event.kind === "done") return { done: true, usage: own.vendor.usage(event.body) ?? {} };
    return { done: false };
  });
}
