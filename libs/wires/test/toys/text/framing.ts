import type { Frame, FrameSplitter, StreamFraming } from "@modelgate/formats/sse";

const maxFrameBytes = 1_000_000;
const headBytes = 4;

/** Framing with a length of four bytes (big endian) before each JSON text. Length 0 is a heartbeat. */
export const lengthPrefixed: StreamFraming = {
  mediaType: "application/x-toy-stream",
  splitter: () => new LengthSplitter(),
  parse(frame): Frame | undefined {
    return frame.length === headBytes ? undefined : { data: frame.toString("utf8", headBytes) };
  },
};

export function framed(json: string): Buffer {
  const body = Buffer.from(json);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

class LengthSplitter implements FrameSplitter {
  #held: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): readonly Buffer[] {
    this.#held = Buffer.concat([this.#held, chunk]);
    const frames: Buffer[] = [];
    for (let size = this.#frameBytes(); size <= this.#held.length; size = this.#frameBytes()) {
      frames.push(this.#held.subarray(0, size));
      this.#held = this.#held.subarray(size);
    }
    return frames;
  }

  get empty(): boolean {
    return this.#held.length === 0;
  }

  end(): Buffer {
    return this.#held;
  }

  #frameBytes(): number {
    if (this.#held.length < headBytes) return Infinity;
    const size = headBytes + this.#held.readUInt32BE();
    if (size > maxFrameBytes) throw new RangeError(`a frame is longer than ${maxFrameBytes} bytes`);
    return size;
  }
}
