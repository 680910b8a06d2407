import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { parseAnswer, renderJson, renderSupported, type Exchange } from "@modelgate/relay";
import { asJson, type RenderedTranscripts, type TranscriptsVendor } from "@modelgate/wires/transcripts";
import { formBody } from "../upload/form-body.ts";
import type { Upload } from "../upload/upload.ts";
import { renderAnswer, type TranscriptCall } from "./exchange.ts";

/** Transcript call in a vendor's wire that has no client format. */
interface VendorTranscriptCall extends Pick<TranscriptCall, "upload" | "request"> {
  readonly wire: UpstreamWire;
  readonly strict: boolean;
}

/**
 * Creates the exchange of one transcript attempt in a wire that only vendors use. Waits for the complete form: this
 * wire sends parameters before the file or in the address, and clients may send them after the file.
 */
export async function vendorExchange(
  { wire, upload, request, strict }: VendorTranscriptCall,
  vendor: TranscriptsVendor,
  model: string,
): Promise<Exchange> {
  await upload.whole;
  const read = request();
  const rendered = renderSupported({ spelling: {}, strict }, [], () => {
    const body = vendor.render(read, { model });
    return { body, dropped: body.dropped };
  });
  return {
    wire,
    ...(await renderUpload(rendered.body, upload)),
    streams: false,
    dropped: rendered.dropped,
    read: () => ({
      kind: "whole",
      async read(bytes) {
        const answer = await parseAnswer(bytes);
        const transcript = vendor.parse(answer);
        const usage = vendor.usage(answer);
        const json = asJson(transcript, { request: read, usage });
        return { usage, ...renderAnswer(Buffer.from(JSON.stringify(json)), json, read, transcript) };
      },
    }),
  };
}

/** Pattern of a valid media type; other values are replaced by application/octet-stream. */
const mediaType = /^[\w.+-]+\/[\w.+-]+$/;

async function renderUpload(
  how: RenderedTranscripts,
  upload: Upload,
): Promise<Pick<Exchange, "body" | "headers" | "query">> {
  const { file } = upload;
  if (how.kind === "form") {
    const { body, headers } = formBody(upload, how.model, () => how.entries);
    return { body, headers: { ...headers, accept: "application/json" } };
  }
  const type = mediaType.test(file.contentType) ? file.contentType : "application/octet-stream";
  if (how.kind === "bytes") {
    const headers = { "content-type": type, "content-length": String(file.size), accept: "application/json" };
    return { body: file.read(), headers, query: how.query };
  }
  if (file.size > how.maxBytes)
    throw new Failure(
      "unsupported_parameter",
      `The vendor of this model takes files of at most ${how.maxBytes} bytes.`,
      {
        param: "file",
      },
    );
  const pieces: Buffer[] = [];
  for await (const piece of file.read()) if (Buffer.isBuffer(piece)) pieces.push(piece);
  const data = Buffer.concat(pieces).toString("base64");
  return { body: await renderJson(how.body({ mediaType: type, data }), data.length) };
}
