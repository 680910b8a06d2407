const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A stream whose frame never ends must not grow memory. */
const maxFrameBytes = 16 * 1024 * 1024;

/**
 * Cuts a byte stream at the ends of its server-sent events and hands the frames on as bytes, untouched: for streams
 * that pass through, where a frame is looked at but not rewritten. Copies nothing where a chunk ends with a frame.
 */
export class SseSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** The frames that are whole now, each with its closing empty line. Throws RangeError beyond the bound. */
  push(chunk: Buffer): readonly Buffer[] {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([...this.#held, chunk]);
    const frames: Buffer[] = [];
    let start = 0;
    for (let end = endOfFrame(all, start); end > 0; end = endOfFrame(all, start)) {
      frames.push(all.subarray(start, end));
      start = end;
    }
    const rest = all.subarray(start);
    this.#held = rest.length === 0 ? [] : [rest];
    this.#heldBytes = rest.length;
    if (this.#heldBytes > maxFrameBytes)
      throw new RangeError(`a server-sent event is longer than ${maxFrameBytes} bytes`);
    return frames;
  }

  /** Whether the stream stands between two frames. */
  get empty(): boolean {
    return this.#heldBytes === 0;
  }

  /** What is left at the end of the stream. */
  end(): Buffer {
    const rest = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return rest;
  }
}

/** Where the frame that begins at `start` ends, its empty line included; -1 where it is not whole yet. */
function endOfFrame(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(lineFeed, start); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return -1;
}
