import { Failure, type TranscriptsWire } from "@modelgate/contracts";
import {
  eventStream,
  isEventStream,
  renderJson,
  type AnswerReader,
  type ConvertedCall,
  type Exchange,
  type StreamTranslator,
  type VendorAnswer,
  type CompleteAnswer,
} from "@modelgate/relay";
import { eventStreamFraming } from "@modelgate/formats/sse";
import {
  renderTranscriptJson,
  renderSrt,
  renderText,
  renderVtt,
  wires,
  type FormEntry,
  type RenderedTranscripts,
  type Transcript,
  type TranscriptFormat,
  type TranscriptsRequest,
  type TranscriptsVendor,
} from "@modelgate/wires/transcripts";
import { canBeginAnswer, vendorErrorFailure, passEvents } from "../event-stream.ts";
import { buildFormBody, mediaTypeOf } from "../upload/form-body.ts";
import type { Upload } from "../upload/upload.ts";

/** Transcript formats that the gateway renders from a vendor's JSON. */
const convertedFormats: Readonly<
  Partial<Record<TranscriptFormat, { readonly contentType: string; readonly render: typeof renderText }>>
> = {
  text: { contentType: "text/plain; charset=utf-8", render: renderText },
  srt: { contentType: "application/x-subrip; charset=utf-8", render: renderSrt },
  vtt: { contentType: "text/vtt; charset=utf-8", render: renderVtt },
};

/** Wire of transcriptions. Translations have the same answers. */
const transcriptionsWire = wires.transcriptions;

/** Wire, file and fields of a transcript call. */
export interface TranscriptCall {
  readonly wire: TranscriptsWire;
  readonly upload: Upload;
  /** Returns the parsed form. Throws Failure (400) for an invalid or incomplete form. */
  readonly request: () => TranscriptsRequest;
}

/**
 * Prepares an upload for its conversion to the wires of vendors. A vendor of the client's wire gets the file during the
 * upload. Other vendors need parameters first, which may follow the file in the form.
 */
export function transcriptCall(
  { wire, upload, request }: TranscriptCall,
  refusesUnsupported: boolean,
): ConvertedCall<TranscriptsVendor, TranscriptsRequest, Transcript, RenderedTranscripts> {
  const { client, vendor: vendorWire } = wires[wire];
  return {
    unsupportedRules: { spelling: {}, refusesUnsupported },
    dropped: [],
    bodyBytes: 0,
    async requests(vendor, { model }) {
      if (vendor !== vendorWire || vendor.needsCompleteForm?.(model)) await upload.completed;
      if (upload.isComplete) return [request()];
      // The fields before the file may already rule out this vendor's model; then another vendor is tried.
      return [client.read(upload.entries.filter(([name]) => name === "model" || name === "response_format"))];
    },
    async write(rendered, vendor, target) {
      const accept = vendor === vendorWire ? "application/json, text/event-stream" : "application/json";
      if (rendered.kind !== "form") return await writeFile(rendered, upload, accept);
      const { body, headers } = buildFormBody(upload, rendered.model, () =>
        entriesOf(vendor.render(request(), target)),
      );
      return { body, headers: { ...headers, accept } };
    },
    reader: (head) => (isEventStream(head) ? eventsReader : undefined),
    render([{ answer, json, bytes }], vendor) {
      const transcriptRequest = request();
      if (vendor === vendorWire) return renderAnswer(answer, { json, bytes }, transcriptRequest);
      const rendered = renderTranscriptJson(answer, transcriptRequest);
      return renderAnswer(answer, { json: rendered, bytes: Buffer.from(JSON.stringify(rendered)) }, transcriptRequest);
    },
  };
}

function entriesOf(rendered: RenderedTranscripts): readonly FormEntry[] {
  return rendered.kind === "form" ? rendered.entries : [];
}

/**
 * Writes a request without a form: the file as the body, or in JSON. Throws Failure (400) for a file that is too large.
 */
async function writeFile(
  format: Exclude<RenderedTranscripts, { readonly kind: "form" }>,
  { file }: Upload,
  accept: string,
): Promise<Pick<Exchange, "body" | "headers">> {
  const type = mediaTypeOf(file);
  if (format.kind === "bytes") {
    const headers = { "content-type": type, "content-length": String(file.size), accept };
    return { body: file.read(), headers };
  }
  if (file.size > format.maxBytes)
    throw new Failure(
      "unsupported_parameter",
      `The vendor of this model accepts files of at most ${format.maxBytes} bytes.`,
      { param: "file" },
    );
  const pieces: Buffer[] = [];
  for await (const piece of file.read()) if (Buffer.isBuffer(piece)) pieces.push(piece);
  const data = Buffer.concat(pieces).toString("base64");
  return { body: await renderJson(format.bodyOf({ mediaType: type, data }), data.length) };
}

const eventsReader: AnswerReader = {
  kind: "stream",
  framing: eventStreamFraming,
  isFirstFrame: (first) => canBeginAnswer(first, transcriptionsWire.vendor.stream().read),
  translator: passTranscriptEvents,
};

/** Renders an answer in the client's format. Throws Failure upstream_error if times are missing. */
function renderAnswer(
  transcript: Transcript,
  { json, bytes }: Pick<VendorAnswer<Transcript>, "json" | "bytes">,
  { format, stream }: TranscriptsRequest,
): CompleteAnswer {
  const { usage, text } = transcript;
  const getText = (): string => text;
  if (stream)
    return {
      body: Buffer.from(transcriptionsWire.client.renderStream(json)),
      contentType: eventStream,
      usage,
      text: getText,
    };
  const conversion = convertedFormats[format];
  if (conversion === undefined) return { body: bytes, usage, text: getText };
  return {
    body: Buffer.from(conversion.render(transcript)),
    contentType: conversion.contentType,
    usage,
    text: getText,
  };
}

/** Creates a translator that passes a vendor's stream, or converts it to OpenAI's. */
function passTranscriptEvents(): StreamTranslator {
  const reader = transcriptionsWire.vendor.stream();
  return passEvents((frame) => {
    const event = reader.read(frame);
    const { rendered } = event;
    if (event.kind === "error") throw vendorErrorFailure();
    if (event.kind === "delta") return { done: false, text: event.text, rendered };
    if (event.kind === "done")
      return { done: true, usage: transcriptionsWire.vendor.usage(event.body) ?? {}, rendered };
    return { done: false, rendered };
  });
}
