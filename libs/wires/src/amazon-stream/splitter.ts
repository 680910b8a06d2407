import { crc32 } from "node:zlib";
import type { FrameSplitter } from "../sse/framing.ts";

/** A stream whose frame never ends must not grow memory; the vendor's own bound is 24 MiB. */
const maxFrameBytes = 16 * 1024 * 1024;
/** A frame's length and its headers' length, and the checksum of both. */
const lengthsBytes = 8;
const preludeBytes = 12;
/** The prelude and the checksum of the whole. */
const minFrameBytes = 16;
const nothing = Buffer.alloc(0);

/** Cuts `application/vnd.amazon.eventstream` into frames, each with its prelude and checksums. */
export class AmazonSplitter implements FrameSplitter {
  /** Pieces of an unfinished frame: joined once, when it is whole. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** Throws RangeError for a frame beyond the bound, or whose length is damaged. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < preludeBytes || this.#heldBytes < this.#firstBytes()) return [];
    const all = this.#joined();
    const frames: Buffer[] = [];
    let start = 0;
    for (let size = sizeAt(all, start); size <= all.length - start; size = sizeAt(all, start)) {
      frames.push(all.subarray(start, start + size));
      start += size;
    }
    const rest = all.subarray(start);
    this.#held = rest.length === 0 ? [] : [rest];
    this.#heldBytes = rest.length;
    return frames;
  }

  get empty(): boolean {
    return this.#heldBytes === 0;
  }

  end(): Buffer {
    const rest = this.#joined();
    this.#held = [];
    this.#heldBytes = 0;
    return rest;
  }

  /** Bytes of the frame that is held first. */
  #firstBytes(): number {
    const [first] = this.#held;
    return sizeAt(first !== undefined && first.length >= preludeBytes ? first : this.#joined(), 0);
  }

  #joined(): Buffer {
    const [first = nothing] = this.#held;
    if (this.#held.length <= 1) return first;
    const all = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [all];
    return all;
  }
}

/** Bytes of the frame that begins at `start`; Infinity while its prelude is not there. */
function sizeAt(bytes: Buffer, start: number): number {
  if (bytes.length - start < preludeBytes) return Infinity;
  const size = bytes.readUInt32BE(start);
  if (size > maxFrameBytes) throw new RangeError(`a frame of an event stream is longer than ${maxFrameBytes} bytes`);
  const isDamaged = crc32(bytes.subarray(start, start + lengthsBytes)) !== bytes.readUInt32BE(start + lengthsBytes);
  if (isDamaged || size < minFrameBytes) throw new RangeError("the length of an event stream's frame is damaged");
  return size;
}
