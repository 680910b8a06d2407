import { failureFrameOf, renderFailure, type Failure } from "@modelgate/contracts";

/** Maximum bytes of an unfinished part that are buffered; a longer part is sent before its end arrives. */
const maxBufferedBytes = 64 * 1024;
const noBytes = Buffer.alloc(0);

/** Returns an object that can append an error to an answer; undefined if no error can be appended. */
export function errorAppenderOf(answer: {
  readonly endpointId: string;
  readonly contentType: string | undefined;
  /** False for an answer that is compressed or has a content length. */
  readonly canAppend: boolean;
}): StreamErrorAppender | undefined {
  const { endpointId, contentType = "", canAppend } = answer;
  if (!canAppend) return undefined;
  if (contentType.startsWith("text/event-stream"))
    return new StreamErrorAppender(createFramedParts(endpointId, endOfLastEvent, "\n\n"));
  if (contentType.startsWith("application/x-ndjson"))
    return new StreamErrorAppender(createFramedParts(endpointId, endOfLastLine, "\n"));
  if (endpointId === "streamGenerateContent" && contentType.startsWith("application/json"))
    return new StreamErrorAppender(new ArrayParts());
  return undefined;
}

/** Finds the parts of a stream: events, lines, or array elements. */
interface StreamParts {
  /** Returns the end of the last complete part, or 0. The first `seen` bytes were also passed to the previous call. */
  endOfLast(bytes: Buffer, seen: number): number;
  /** Called with all bytes that are sent to the client. */
  observe?(bytes: Buffer): void;
  /**
   * Returns the text that ends the stream with a failure; undefined if the wire cannot express one at this point.
   * `isInside` is true after the beginning of an incomplete part was sent.
   */
  renderEnd(failure: Failure, requestId: string, isInside: boolean): string | undefined;
}

/** Cuts a stream at the ends of its parts, so that the gateway can append an error if the service disconnects. */
export class StreamErrorAppender {
  readonly #parts: StreamParts;
  #buffered: Buffer = noBytes;
  /** True after the beginning of an incomplete part was sent. */
  #isInside = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Returns the bytes that may be sent, and buffers the beginning of an unfinished part. */
  push(chunk: Buffer): Buffer {
    const all = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    // Whitespace between parts is not buffered, because services send it as a heartbeat.
    if (!this.#isInside && isWhitespace(all)) {
      this.#buffered = noBytes;
      return all;
    }
    const end = this.#parts.endOfLast(all, this.#buffered.length);
    if (end > 0) this.#isInside = false;
    if (all.length - end > maxBufferedBytes) this.#isInside = true;
    // A view would keep the complete chunk in memory while the stream is silent.
    this.#buffered = this.#isInside ? noBytes : Buffer.from(all.subarray(end));
    const out = this.#isInside ? all : all.subarray(0, end);
    this.#parts.observe?.(out);
    return out;
  }

  /** The unfinished part that was not sent. */
  get buffered(): Buffer {
    return this.#buffered;
  }

  /** Returns the end of a broken stream; undefined if the wire cannot express a failure at this point. */
  renderEnd(failure: Failure, requestId: string): string | undefined {
    return this.#parts.renderEnd(failure, requestId, this.#isInside);
  }
}

function isWhitespace(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) <= 0x20 && /^\s*$/.test(bytes.toString("latin1"));
}

/** Creates the parser of a stream of events or lines. `ending` is the text that closes an unfinished part. */
function createFramedParts(endpointId: string, endOf: (bytes: Buffer) => number, ending: string): StreamParts {
  let sequence: number | undefined;
  return {
    endOfLast: endOf,
    observe(bytes) {
      if (endpointId === "responses") sequence = lastSequence(bytes) ?? sequence;
    },
    renderEnd(failure, requestId, isInside) {
      const frame = failureFrameOf(endpointId)?.(failure, requestId, sequence);
      return frame === undefined || !isInside ? frame : ending + frame;
    },
  };
}

/** Returns the position after the last empty line, which ends an event, or 0. */
function endOfLastEvent(bytes: Buffer): number {
  if (/\n\r?\n$/.test(bytes.toString("latin1", bytes.length - 3))) return bytes.length;
  const plain = bytes.lastIndexOf("\n\n");
  const dos = bytes.lastIndexOf("\n\r\n");
  return Math.max(plain < 0 ? 0 : plain + 2, dos < 0 ? 0 : dos + 3);
}

function endOfLastLine(bytes: Buffer): number {
  return bytes.lastIndexOf("\n") + 1;
}

function lastSequence(bytes: Buffer): number | undefined {
  const position = bytes.lastIndexOf('"sequence_number":');
  const match =
    position < 0 ? null : /^"sequence_number": ?(\d{1,15})/.exec(bytes.toString("latin1", position, position + 40));
  return match === null ? undefined : Number(match[1]);
}

const [openBrace, closeBrace, openBracket, closeBracket, quote, backslash] = [0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x5c];

/** Parser of Gemini's streamGenerateContent without `alt=sse`: a JSON array, whose elements are the parts. */
class ArrayParts implements StreamParts {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #elements = 0;

  endOfLast(bytes: Buffer, seen: number): number {
    let end = 0;
    for (let position = seen; position < bytes.length; position++)
      if (this.#endsElement(bytes[position])) end = position + 1;
    return end;
  }

  renderEnd(failure: Failure, requestId: string, isInside: boolean): string | undefined {
    if (isInside) return undefined;
    const before = this.#elements === 0 ? "[" : ",\r\n";
    return `${before}${JSON.stringify(renderFailure("gamma", failure, requestId))}]`;
  }

  #endsElement(byte: number | undefined): boolean {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isText = false;
    } else if (byte === quote) this.#isText = true;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      this.#depth--;
      if (this.#depth === 1) this.#elements++;
      return this.#depth <= 1;
    }
    return false;
  }
}
