import { type JsonRecord, parseRecord } from "../json/fields.ts";
import { type Frame, parseFrame } from "./decode.ts";

/** Splits a stream into the unchanged bytes of its frames. */
export interface FrameSplitter {
  /** Returns the complete frames. Throws RangeError for a frame that is too large. */
  push(chunk: Buffer): readonly Buffer[];
  /** True if the stream is between two frames. */
  readonly empty: boolean;
  /** Returns the bytes of the unfinished frame, and removes them from the buffer. */
  end(): Buffer;
}

export interface StreamFraming {
  readonly mediaType: string;
  splitter(): FrameSplitter;
  /** Parses one frame; undefined for a frame without data, which is a keep-alive. */
  parse(frame: Buffer): Frame | undefined;
}

export const eventStreamFraming: StreamFraming = {
  mediaType: "text/event-stream",
  splitter: () => new SseSplitter(),
  parse(frame) {
    const text = frame.toString();
    return parseFrame(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  },
};

/** A comment that keeps a silent event stream alive. */
export const keepAlive = ": keep-alive\n\n";

const byteOrderMark = "\ufeff";

/** Form of a wire's streams: their framing, and the events that may begin one. */
export interface StreamForm {
  readonly framing: StreamFraming;
  isFirstEvent(event: JsonRecord): boolean;
}

/** Returns true if a frame may be the first one of a vendor's stream. */
export function isStreamStart({ isFirstEvent }: Pick<StreamForm, "isFirstEvent">, first: Frame): boolean {
  const event = parseRecord(first.data);
  return event !== undefined && isFirstEvent(event);
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

const maxFrameBytes = 16 * 1024 * 1024;

/**
 * Length of the longest pattern that ends a frame (`\n\r\n`), in bytes. Chunks may split it, so each search begins this
 * many bytes earlier.
 */
const maxEndBytes = 3;

const doubleCarriageReturn = Buffer.from("\r\r");
const noBytes = Buffer.alloc(0);

/**
 * Splits a byte stream after each server-sent event, without copying a chunk that ends with a frame. A frame of many
 * chunks is copied and searched about once.
 */
export class SseSplitter {
  /** Begins with the unfinished frame. The rest is unused. */
  #buffer: Buffer = noBytes;
  #bufferedBytes = 0;

  /** Returns the complete frames, each with its closing empty line. Throws RangeError for a frame that is too large. */
  push(chunk: Buffer): readonly Buffer[] {
    const searched = Math.max(0, this.#bufferedBytes - maxEndBytes);
    const all = this.#bufferedBytes === 0 ? chunk : this.#append(chunk);
    const frames: Buffer[] = [];
    const findEnd = all.includes(carriageReturn, searched) ? endOfAnyFrame : endOfFrame;
    let start = 0;
    for (let end = findEnd(all, searched); end > 0; end = findEnd(all, start)) {
      frames.push(all.subarray(start, end));
      start = end;
    }
    // The buffer is reused while one frame grows; frames that were returned are never overwritten.
    if (start > 0 || this.#bufferedBytes === 0) this.#buffer = all.subarray(start);
    this.#bufferedBytes = all.length - start;
    // An empty view would keep its complete chunk in memory while a stream is silent.
    if (this.#bufferedBytes === 0) this.#buffer = noBytes;
    if (this.#bufferedBytes > maxFrameBytes)
      throw new RangeError(`a server-sent event is longer than ${maxFrameBytes} bytes`);
    return frames;
  }

  get empty(): boolean {
    return this.#bufferedBytes === 0;
  }

  end(): Buffer {
    const rest = this.#buffer.subarray(0, this.#bufferedBytes);
    this.#buffer = noBytes;
    this.#bufferedBytes = 0;
    return rest;
  }

  #append(chunk: Buffer): Buffer {
    const size = this.#bufferedBytes + chunk.length;
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(size * 2);
      this.#buffer.copy(larger, 0, 0, this.#bufferedBytes);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#bufferedBytes);
    return this.#buffer.subarray(0, size);
  }
}

/** Decodes server-sent events to frames. Skips frames without data. */
export class SseDecoder {
  readonly #splitter = new SseSplitter();

  push(bytes: Buffer): readonly Frame[] {
    return this.#splitter.push(bytes).flatMap((frame) => eventStreamFraming.parse(frame) ?? []);
  }

  /** Returns the last frame of the stream, even if its closing empty line is missing. */
  end(): readonly Frame[] {
    const last = eventStreamFraming.parse(this.#splitter.end());
    return last === undefined ? [] : [last];
  }
}

/** Returns the index after the first pattern that ends a frame, at or after `from`; -1 if it is not found. */
function endOfFrame(bytes: Buffer, from: number): number {
  for (let index = bytes.indexOf(lineFeed, from); index >= 0; index = bytes.indexOf(lineFeed, index + 1)) {
    if (bytes[index + 1] === lineFeed) return index + 2;
    if (bytes[index + 1] === carriageReturn && bytes[index + 2] === lineFeed) return index + 3;
  }
  return -1;
}

/** Does the same as `endOfFrame`, but also for streams whose lines end with a single carriage return. */
function endOfAnyFrame(bytes: Buffer, from: number): number {
  const end = endOfFrame(bytes, from);
  const doubleReturn = bytes.indexOf(doubleCarriageReturn, from);
  return doubleReturn >= 0 && (end < 0 || doubleReturn < end) ? doubleReturn + doubleCarriageReturn.length : end;
}
