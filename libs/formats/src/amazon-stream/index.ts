import { EventStreamCodec } from "@smithy/eventstream-codec";
import { crc32 } from "node:zlib";
import { parseRecord } from "../json/fields.ts";
import type { Frame } from "../sse/decode.ts";
import type { FrameSplitter, StreamFraming } from "../sse/framing.ts";

export const amazonStreamType = "application/vnd.amazon.eventstream";

/** Name of the event that reports a stream's failure: `{"failure": {"code", "message"}}`. */
const failureName = "failure";

/** Framing of Amazon's event streams. A frame is parsed to an event with the data `{"<type>": <payload>}`. */
export const amazonFraming: StreamFraming = {
  mediaType: amazonStreamType,
  splitter: () => new AmazonSplitter(),
  parse(frame): Frame {
    const message = readMessage(frame);
    if (message.kind === "event")
      return { event: message.type, data: `{${JSON.stringify(message.type)}:${message.payload || "{}"}}` };
    const failure = { code: message.type, message: failureMessage(message) };
    return { event: failureName, data: JSON.stringify({ [failureName]: failure }) };
  },
};

export interface AmazonMessage {
  /** An event, an exception that Amazon's API defines, another error, or damaged bytes. */
  readonly kind: "event" | "exception" | "error" | "damaged";
  readonly type: string;
  readonly payload: string;
}

const codec = new EventStreamCodec(
  (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  (text: string) => Buffer.from(text),
);

/** Reads a complete message and checks its checksums. Never throws. */
export function readMessage(frame: Buffer): AmazonMessage {
  try {
    const { headers, body } = codec.decode(frame);
    const header = (name: string): string => {
      const value = headers[name]?.value;
      return typeof value === "string" ? value : "";
    };
    const kind = header(":message-type");
    const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
    if (kind === "event") return { kind, type: header(":event-type"), payload };
    if (kind === "exception") return { kind, type: header(":exception-type"), payload };
    return { kind: "error", type: header(":error-code"), payload: header(":error-message") };
  } catch {
    return { kind: "damaged", type: "damaged", payload: "The vendor's stream is damaged." };
  }
}

export function failureMessage({ kind, payload }: AmazonMessage): string {
  if (kind !== "exception") return payload;
  const { message } = parseRecord(payload) ?? {};
  return typeof message === "string" ? message : payload;
}

/** Maximum bytes of a frame. The vendor's limit is 24 MiB. */
const maxFrameBytes = 16 * 1024 * 1024;
/**
 * Length of the two numbers at a frame's beginning, and of the prelude (the two numbers and their checksum), in bytes.
 */
const lengthsBytes = 8;
const preludeBytes = 12;
/** Length of the prelude and of the message's checksum, in bytes. */
const minFrameBytes = 16;
const noBytes = Buffer.alloc(0);

/** Splits a stream of type `application/vnd.amazon.eventstream` into frames, each with its prelude and checksums. */
export class AmazonSplitter implements FrameSplitter {
  #pieces: Buffer[] = [];
  #bufferedBytes = 0;

  /** Returns the complete frames. Throws RangeError for a frame that is too large or has a damaged length. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#pieces.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes < preludeBytes || this.#bufferedBytes < this.#firstBytes()) return [];
    const all = this.#joined();
    const frames: Buffer[] = [];
    let start = 0;
    for (let size = frameSizeAt(all, start); size <= all.length - start; size = frameSizeAt(all, start)) {
      frames.push(all.subarray(start, start + size));
      start += size;
    }
    const rest = all.subarray(start);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bufferedBytes = rest.length;
    return frames;
  }

  get empty(): boolean {
    return this.#bufferedBytes === 0;
  }

  end(): Buffer {
    const rest = this.#joined();
    this.#pieces = [];
    this.#bufferedBytes = 0;
    return rest;
  }

  #firstBytes(): number {
    const [first] = this.#pieces;
    return frameSizeAt(first !== undefined && first.length >= preludeBytes ? first : this.#joined(), 0);
  }

  #joined(): Buffer {
    const [first = noBytes] = this.#pieces;
    if (this.#pieces.length <= 1) return first;
    const all = Buffer.concat(this.#pieces, this.#bufferedBytes);
    this.#pieces = [all];
    return all;
  }
}

/** Returns the length of the frame at `start`; Infinity if its prelude is incomplete. */
function frameSizeAt(bytes: Buffer, start: number): number {
  if (bytes.length - start < preludeBytes) return Infinity;
  const size = bytes.readUInt32BE(start);
  if (size > maxFrameBytes) throw new RangeError(`a frame of an event stream is longer than ${maxFrameBytes} bytes`);
  const isDamaged = crc32(bytes.subarray(start, start + lengthsBytes)) !== bytes.readUInt32BE(start + lengthsBytes);
  if (isDamaged || size < minFrameBytes) throw new RangeError("the length of an event stream's frame is damaged");
  return size;
}
