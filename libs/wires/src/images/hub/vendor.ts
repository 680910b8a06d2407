import { randomUUID } from "node:crypto";
import { type JsonRecord, joinInTurns, stringifyInTurns } from "@modelgate/formats/json";
import type { TextStreamPass } from "../../text/pass.ts";
import type { Rendered, VendorSide } from "../../wire.ts";
import type { ImagesAnswer } from "./answer.ts";
import type { ImageRequest } from "./request.ts";

export interface RenderedImages extends Rendered {
  /** Form to send instead of `body`. */
  readonly form?: readonly ImagesFormEntry[];
}

export interface ImagesVendor extends VendorSide<ImageRequest, ImagesAnswer, RenderedImages> {
  /** True if images must be sent as bytes; otherwise addresses suffice. */
  readonly needsBytes?: true;
  /** Parses a complete answer. Throws Failure upstream_rejected (400) if the vendor refused, else upstream_error. */
  parse(body: JsonRecord): ImagesAnswer;
}

/** Forwards a vendor's stream of partial images unchanged, to clients of any dialect. Absent: the vendor has none. */
export interface ImagesPass {
  isFirstEvent(event: JsonRecord): boolean;
  /** Creates the forwarder of one stream. It ends with the last of `max` images even if the vendor sends more. */
  stream(max?: number): TextStreamPass;
}

interface SentImages {
  /** Body, written in steps of about a millisecond. */
  readonly body: Generator<undefined, Buffer>;
  readonly contentType: string;
}

export function writeImages({ body, form }: RenderedImages): SentImages {
  return form === undefined ? { body: stringifyInTurns(body), contentType: "application/json" } : writeForm(form);
}

export type ImagesFormEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly contentType: string; readonly bytes: Buffer };

function writeForm(entries: readonly ImagesFormEntry[]): SentImages {
  // The boundary is random, so that no file can contain it.
  const boundary = `modelgate-${randomUUID()}`;
  const pieces = entries.flatMap((entry) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${escapeQuotes(entry.name)}"`;
    if ("value" in entry) return [Buffer.from(`${head}\r\n\r\n${entry.value}\r\n`)];
    const file = `; filename="${escapeQuotes(entry.filename)}"\r\ncontent-type: ${entry.contentType}\r\n\r\n`;
    return [Buffer.from(head + file), entry.bytes, Buffer.from("\r\n")];
  });
  return {
    body: joinInTurns([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Escapes quotes and line breaks as browsers do. */
function escapeQuotes(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
