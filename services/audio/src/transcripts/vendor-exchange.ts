import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { parseAnswer, renderJson, renderSupported, type Exchange } from "@modelgate/relay";
import {
  asJson,
  vendorTranscriptsCodecs,
  type RenderedTranscripts,
  type VendorTranscriptsCodec,
} from "@modelgate/wires/transcripts";
import { formBody } from "../upload/form-body.ts";
import type { Upload } from "../upload/upload.ts";
import { renderAnswer, type TranscriptCall } from "./exchange.ts";

/** The codec of a wire that only vendors speak; undefined for any other. */
export function vendorCodecOf(wire: UpstreamWire): VendorTranscriptsCodec | undefined {
  return isVendors(wire) ? vendorTranscriptsCodecs[wire] : undefined;
}

function isVendors(wire: UpstreamWire): wire is keyof typeof vendorTranscriptsCodecs {
  return Object.hasOwn(vendorTranscriptsCodecs, wire);
}

/**
 * One attempt at a transcript in a wire that only vendors speak. What they are asked stands before the file, or in the
 * address: the form must be whole, since clients may say it after theirs.
 */
export async function vendorExchange(
  { upload, request, strict }: Pick<TranscriptCall, "upload" | "request"> & { readonly strict: boolean },
  codec: VendorTranscriptsCodec,
  model: string,
): Promise<Exchange> {
  await upload.whole;
  const asked = request();
  const rendered = renderSupported({ spelling: {}, strict }, [], () => {
    const how = codec.renderRequest(asked, { model });
    return { body: how, how, dropped: how.dropped };
  });
  return {
    wire: codec.wire,
    ...(await sentAs(rendered.body, upload)),
    streams: false,
    dropped: rendered.dropped,
    read: () => ({
      kind: "whole",
      async read(bytes) {
        const answer = await parseAnswer(bytes);
        const transcript = codec.parseAnswer(answer);
        const usage = codec.readUsage(answer);
        const json = asJson(transcript, asked, usage);
        return { usage, ...renderAnswer(Buffer.from(JSON.stringify(json)), json, asked, transcript) };
      },
    }),
  };
}

/** What a part's kind may look like; everything else is just bytes. */
const mediaType = /^[\w.+-]+\/[\w.+-]+$/;

async function sentAs(how: RenderedTranscripts, upload: Upload): Promise<Pick<Exchange, "body" | "headers" | "query">> {
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
  if (file.size > how.mostBytes)
    throw new Failure(
      "unsupported_parameter",
      `The vendor of this model takes files of at most ${how.mostBytes} bytes.`,
      {
        param: "file",
      },
    );
  const pieces: Buffer[] = [];
  for await (const piece of file.read()) if (Buffer.isBuffer(piece)) pieces.push(piece);
  const data = Buffer.concat(pieces).toString("base64");
  return { body: await renderJson(how.body({ mediaType: type, data }), data.length) };
}
