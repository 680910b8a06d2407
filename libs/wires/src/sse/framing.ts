import { type JsonRecord, parseRecord } from "../json/fields.ts";
import { type Frame, parseFrame } from "./decode.ts";

export type { Frame };

/** Cuts a stream into the bytes of its frames, untouched. Any split of the bytes gives the same frames. */
export interface FrameSplitter {
  /** Returns the frames that are whole now. Throws RangeError for a frame beyond the framing's bound. */
  push(chunk: Buffer): readonly Buffer[];
  /** True if the stream is between two frames. */
  readonly empty: boolean;
  /** Returns the bytes of an unfinished last frame. */
  end(): Buffer;
}

/** Framing of a wire's streams. */
export interface StreamFraming {
  /** The media type that a vendor's stream has. */
  readonly mediaType: string;
  splitter(): FrameSplitter;
  /** Parses one frame; undefined for one without data, which only keeps the connection alive. */
  parse(frame: Buffer): Frame | undefined;
}

/** Server-sent events. */
export const eventStreamFraming: StreamFraming = {
  mediaType: "text/event-stream",
  splitter: () => new SseSplitter(),
  parse(frame) {
    const text = frame.toString();
    return parseFrame(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  },
};

/** A comment, which keeps a silent stream of events alive. */
export const keepAlive = ": keep-alive\n\n";

/** Mark that may precede the first event of a stream. */
const byteOrderMark = "\ufeff";

/** Form of a wire's streams: their framing, and the events that can begin one. */
export interface StreamForm {
  readonly framing: StreamFraming;
  begins(event: JsonRecord): boolean;
}

/** Returns true if a vendor's stream may begin with this frame. A frame without data is a keep-alive and always may. */
export function beginsIn({ framing, begins }: StreamForm, first: Buffer): boolean {
  const frame = framing.parse(first);
  if (frame === undefined) return true;
  const event = parseRecord(frame.data);
  return event !== undefined && begins(event);
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** A stream whose frame never ends must not grow memory. */
const maxFrameBytes = 16 * 1024 * 1024;

/** A frame's end is at most three bytes: so many must be looked at again when more come. */
const longestEnd = 3;

const twoReturns = Buffer.from("\r\r");
const nothing = Buffer.alloc(0);

/**
 * Cuts a byte stream at the ends of its server-sent events and hands the frames on as bytes, untouched: for streams
 * that pass through, where a frame is looked at but not rewritten. Copies nothing where a chunk ends with a frame;
 * a frame in many chunks is copied and looked through about once, however many they are.
 */
export class SseSplitter {
  /** Begins with the unfinished frame; what is beyond `#heldBytes` is room for more. */
  #room: Buffer = nothing;
  #heldBytes = 0;

  /** The frames that are whole now, each with its closing empty line. Throws RangeError beyond the bound. */
  push(chunk: Buffer): readonly Buffer[] {
    const searched = Math.max(0, this.#heldBytes - longestEnd);
    const all = this.#heldBytes === 0 ? chunk : this.#append(chunk);
    const frames: Buffer[] = [];
    const ending = all.includes(carriageReturn, searched) ? endOfAnyFrame : endOfFrame;
    let start = 0;
    for (let end = ending(all, searched); end > 0; end = ending(all, start)) {
      frames.push(all.subarray(start, end));
      start = end;
    }
    // Room is kept while one frame grows; frames that were handed out are never written over.
    if (start > 0 || this.#heldBytes === 0) this.#room = all.subarray(start);
    this.#heldBytes = all.length - start;
    // Not even an empty view: it would keep its whole chunk alive while a stream is silent.
    if (this.#heldBytes === 0) this.#room = nothing;
    if (this.#heldBytes > maxFrameBytes)
      throw new RangeError(`a server-sent event is longer than ${maxFrameBytes} bytes`);
    return frames;
  }

  get empty(): boolean {
    return this.#heldBytes === 0;
  }

  end(): Buffer {
    const rest = this.#room.subarray(0, this.#heldBytes);
    this.#room = nothing;
    this.#heldBytes = 0;
    return rest;
  }

  #append(chunk: Buffer): Buffer {
    const size = this.#heldBytes + chunk.length;
    if (size > this.#room.length) {
      const larger = Buffer.allocUnsafe(size * 2);
      this.#room.copy(larger, 0, 0, this.#heldBytes);
      this.#room = larger;
    }
    chunk.copy(this.#room, this.#heldBytes);
    return this.#room.subarray(0, size);
  }
}

/** Finds the first frame end at or after `from`, its empty line included; -1 where none is whole yet. */
function endOfFrame(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return -1;
}

/** The same where lines may also end with a carriage return alone. */
function endOfAnyFrame(bytes: Buffer, from: number): number {
  const usual = endOfFrame(bytes, from);
  const twice = bytes.indexOf(twoReturns, from);
  return twice >= 0 && (usual < 0 || twice < usual) ? twice + twoReturns.length : usual;
}
