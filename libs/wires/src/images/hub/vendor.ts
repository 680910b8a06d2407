import { randomUUID } from "node:crypto";
import { stringifyInTurns } from "../../json/stringify-in-turns.ts";
import type { Rendered, Target, VendorSide } from "../../wire.ts";
import type { ImagesAnswer, ImagesTask } from "./answer.ts";
import type { ImageRequest } from "./request.ts";

/** A request for a vendor. */
export interface RenderedImages extends Rendered {
  /** The request as a form, which is sent instead of `body`. */
  readonly form?: readonly ImagesFormEntry[];
}

/** The vendor side of a wire of images. */
export interface ImagesVendor extends VendorSide<ImageRequest, ImagesAnswer | ImagesTask> {
  /** Tells whether images must be brought as bytes; otherwise addresses suffice. */
  readonly needsBytes: boolean;
  /** Tells whether a request begins a task, which is paid for once: it must not be sent twice. */
  readonly begins: "image" | "task";
  /** Tells whether it sends partial images in a stream. */
  readonly streams: boolean;
  render(request: ImageRequest, target: Target): RenderedImages;
  /**
   * Parses a complete answer. Throws Failure upstream_error for any other body, upstream_rejected (400) where the vendor
   * refused to make the image, and the failure of a task.
   */
  parse(body: Rendered["body"]): ImagesAnswer | ImagesTask;
}

interface SentImages {
  /** Written in steps of about a millisecond. */
  readonly body: Generator<undefined, Buffer>;
  readonly contentType: string;
}

/** Writes a rendered request as bytes: JSON, or a form. */
export function writeImages({ body, form }: RenderedImages): SentImages {
  return form === undefined ? { body: stringifyInTurns(body), contentType: "application/json" } : writeForm(form);
}

/** A text field, or a file, of a form. */
export type ImagesFormEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly contentType: string; readonly bytes: Buffer };

function writeForm(entries: readonly ImagesFormEntry[]): SentImages {
  // Random, so that none of the bytes contain it.
  const boundary = `modelgate-${randomUUID()}`;
  const pieces = entries.flatMap((entry) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(entry.name)}"`;
    if ("value" in entry) return [Buffer.from(`${head}\r\n\r\n${entry.value}\r\n`)];
    const file = `; filename="${quoted(entry.filename)}"\r\ncontent-type: ${entry.contentType}\r\n\r\n`;
    return [Buffer.from(head + file), entry.bytes, Buffer.from("\r\n")];
  });
  return {
    body: join([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

const copiedAtOnce = 1024 * 1024;

/** Joins pieces, copied in steps of about a millisecond. */
function* join(pieces: readonly Buffer[]): Generator<undefined, Buffer> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const joined = Buffer.allocUnsafe(size);
  let end = 0;
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += copiedAtOnce) {
      end += piece.copy(joined, end, at, at + copiedAtOnce);
      if (piece.length > copiedAtOnce) yield;
    }
  return joined;
}

/** Escapes what would end the quotes or the line, as browsers do. */
function quoted(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
