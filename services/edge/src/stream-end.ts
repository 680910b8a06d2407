import { failureFrameOf, renderFailure, type Failure } from "@modelgate/contracts";

/** Largest unfinished part that is kept back; of a longer one the beginning goes out before its end is there. */
const maxHeldBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Returns the end of an answer that its wire has words for; undefined where its connection must be cut. Nothing can be
 * added to a closed answer: its bytes are compressed, or their number was promised.
 */
export function streamEndOf(answer: {
  readonly endpointId: string;
  readonly contentType: string | undefined;
  readonly isClosed: boolean;
}): StreamEnd | undefined {
  const { endpointId, contentType = "", isClosed } = answer;
  if (isClosed) return undefined;
  if (contentType.startsWith("text/event-stream"))
    return new StreamEnd(framedParts(endpointId, endOfLastEvent, "\n\n"));
  if (contentType.startsWith("application/x-ndjson"))
    return new StreamEnd(framedParts(endpointId, endOfLastLine, "\n"));
  if (endpointId === "streamGenerateContent" && contentType.startsWith("application/json"))
    return new StreamEnd(new ArrayParts());
  return undefined;
}

/** The parts of which a stream consists. */
interface StreamParts {
  /** Returns where the last whole part ends, 0 where none does. The first `seen` bytes were in the call before. */
  endOfLast(bytes: Buffer, seen: number): number;
  /** Notes the bytes that go on. */
  passed?(bytes: Buffer): void;
  /** Returns the words that end the stream, inside a part or between two; undefined where there are none. */
  fail(failure: Failure, requestId: string, isInside: boolean): string | undefined;
}

/**
 * A stream on its way to a client, cut where one of its parts ends: so that, should its service break off, the gateway's
 * error can follow the last whole part.
 */
export class StreamEnd {
  readonly #parts: StreamParts;
  #held: Buffer = nothing;
  /** True while the beginning of a part went out without its end. */
  #isInside = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Returns the bytes that may go on; the beginning of an unfinished part is kept back. */
  push(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = this.#parts.endOfLast(all, this.#held.length);
    if (end > 0) this.#isInside = false;
    if (all.length - end > maxHeldBytes) this.#isInside = true;
    // A copy: a view would keep the whole chunk in memory for as long as the stream is silent.
    this.#held = this.#isInside ? nothing : Buffer.from(all.subarray(end));
    const out = this.#isInside ? all : all.subarray(0, end);
    this.#parts.passed?.(out);
    return out;
  }

  /** Returns what was kept back, once the service's stream is over. */
  rest(): Buffer {
    return this.#held;
  }

  /** Returns the end of a stream that broke; undefined where the wire has no words for that now. */
  fail(failure: Failure, requestId: string): string | undefined {
    return this.#parts.fail(failure, requestId, this.#isInside);
  }
}

/** Returns the parts of a stream of events or lines; `ending` ends one that is unfinished. */
function framedParts(endpointId: string, endOf: (bytes: Buffer) => number, ending: string): StreamParts {
  let sequence: number | undefined;
  return {
    endOfLast: endOf,
    passed(bytes) {
      if (endpointId === "responses") sequence = lastSequence(bytes) ?? sequence;
    },
    fail(failure, requestId, isInside) {
      const frame = failureFrameOf(endpointId)?.(failure, requestId, sequence);
      return frame === undefined || !isInside ? frame : ending + frame;
    },
  };
}

/** Returns where the last whole event ends: with an empty line. */
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
  const at = bytes.lastIndexOf('"sequence_number":');
  const [, digits] =
    at < 0 ? [] : (/^"sequence_number": ?(\d{1,15})/.exec(bytes.toString("latin1", at, at + 40)) ?? []);
  return digits === undefined ? undefined : Number(digits);
}

const [openBrace, closeBrace, openBracket, closeBracket, quote, backslash] = [0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x5c];

/** Content generation without `alt=sse`: one JSON array, of which a part is an element. */
class ArrayParts implements StreamParts {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #elements = 0;

  endOfLast(bytes: Buffer, seen: number): number {
    let end = 0;
    for (let at = seen; at < bytes.length; at++) if (this.#endsElement(bytes[at])) end = at + 1;
    // White space between elements keeps a silent stream alive.
    const isBetween = this.#depth <= 1 && !this.#isText;
    return isBetween && /^\s*$/.test(bytes.toString("latin1", end)) ? bytes.length : end;
  }

  fail(failure: Failure, requestId: string, isInside: boolean): string | undefined {
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
