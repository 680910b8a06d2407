import { failureFrameOf, renderFailure, type Failure } from "@modelgate/contracts";

/**
 * A stream on its way to a client, cut where one of its parts ends: so that, should its service break off, the gateway's
 * own error can stand after the last whole part.
 */
export interface StreamEnd {
  /** What of the bytes until now may go on; the beginning of an unfinished part is kept back. */
  push(chunk: Buffer): Buffer;
  /** The service's stream is over: what was kept back. */
  rest(): Buffer;
  /** How the stream ends that broke; undefined where the wire has no words for that now. */
  fail(failure: Failure, requestId: string): string | undefined;
}

/** Largest unfinished part that is kept back; of a longer one the beginning goes out before its end is there. */
const maxHeldBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** What is known of an answer from its endpoint and its head. */
interface AnswerHead {
  readonly endpointId: string;
  readonly contentType: string | undefined;
  /** Whether its bytes are compressed, or their number was promised: nothing can be added to those. */
  readonly isClosed: boolean;
}

/** Finds how an answer can be ended in its wire; undefined where it cannot, and its connection is cut. */
export function streamEndOf({ endpointId, contentType = "", isClosed }: AnswerHead): StreamEnd | undefined {
  if (isClosed) return undefined;
  if (contentType.startsWith("text/event-stream")) return new PartsEnd(endpointId, events);
  if (contentType.startsWith("application/x-ndjson")) return new PartsEnd(endpointId, lines);
  if (endpointId === "streamGenerateContent" && contentType.startsWith("application/json")) return new ArrayEnd();
  return undefined;
}

const sequenceWord = '"sequence_number":';

/** How a stream's parts end. */
interface PartForm {
  /** Where the last whole part ends; 0 where none does. */
  endOfLast(bytes: Buffer): number;
  /** Ends a part that is unfinished. */
  readonly ending: string;
}

/** Server-sent events: a part ends with an empty line. */
const events: PartForm = { endOfLast: endOfLastEvent, ending: "\n\n" };
/** A part is a line. */
const lines: PartForm = { endOfLast: (bytes) => bytes.lastIndexOf("\n") + 1, ending: "\n" };

/** A stream whose parts have ends that can be found. */
class PartsEnd implements StreamEnd {
  readonly #endpointId: string;
  readonly #form: PartForm;
  readonly #isNumbered: boolean;
  #held: Buffer = nothing;
  /** Whether the beginning of an event went out without its end. */
  #isInside = false;
  #sequence: number | undefined;

  constructor(endpointId: string, form: PartForm) {
    this.#endpointId = endpointId;
    this.#form = form;
    this.#isNumbered = endpointId === "responses";
  }

  push(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = nothing;
    const end = this.#form.endOfLast(all);
    if (end > 0) this.#isInside = false;
    if (end < all.length && !this.#isInside) {
      if (all.length - end > maxHeldBytes) this.#isInside = true;
      // A copy: a view would keep the whole chunk in memory for as long as the stream is silent.
      else this.#held = Buffer.from(all.subarray(end));
    }
    const out = this.#held.length === 0 ? all : all.subarray(0, end);
    if (this.#isNumbered) this.#sequence = lastSequence(out) ?? this.#sequence;
    return out;
  }

  rest(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }

  fail(failure: Failure, requestId: string): string | undefined {
    const frame = failureFrameOf(this.#endpointId)?.(failure, requestId, this.#sequence);
    return frame === undefined || !this.#isInside ? frame : this.#form.ending + frame;
  }
}

/** Where the last whole event ends; 0 where none does. */
function endOfLastEvent(bytes: Buffer): number {
  if (bytes.at(-1) === 0x0a && (bytes.at(-2) === 0x0a || (bytes.at(-2) === 0x0d && bytes.at(-3) === 0x0a)))
    return bytes.length;
  const plain = bytes.lastIndexOf("\n\n");
  const dos = bytes.lastIndexOf("\n\r\n");
  return Math.max(plain < 0 ? 0 : plain + 2, dos < 0 ? 0 : dos + 3);
}

function lastSequence(bytes: Buffer): number | undefined {
  const at = bytes.lastIndexOf(sequenceWord);
  if (at < 0) return undefined;
  const [digits] = /^ ?\d{1,15}/.exec(bytes.toString("latin1", at + sequenceWord.length, at + 40)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const [openBrace, closeBrace, openBracket, closeBracket, quote, backslash] = [0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x5c];

/** Content generation without `alt=sse`: one JSON array, of which a part is an element. */
class ArrayEnd implements StreamEnd {
  #held: Buffer = nothing;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #elements = 0;
  /** Whether the beginning of an element went out without its end. */
  #isInside = false;

  push(chunk: Buffer): Buffer {
    const before = this.#held.length;
    const all = before === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let end = 0;
    for (const [at, byte] of chunk.entries()) if (this.#read(byte)) end = before + at + 1;
    if (end > 0) this.#isInside = false;
    // White space between elements keeps a silent stream alive.
    if (this.#depth <= 1 && !this.#isText && all.every(isSpace)) end = all.length;
    const isLong = this.#isInside || all.length - end > maxHeldBytes;
    if (isLong && end < all.length) this.#isInside = true;
    this.#held = isLong ? nothing : Buffer.from(all.subarray(end));
    return isLong ? all : all.subarray(0, end);
  }

  rest(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }

  fail(failure: Failure, requestId: string): string | undefined {
    if (this.#isInside) return undefined;
    const before = this.#elements === 0 ? "[" : ",\r\n";
    return `${before}${JSON.stringify(renderFailure("gamma", failure, requestId))}]`;
  }

  /** Whether an element ends with this byte. */
  #read(byte: number): boolean {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isText = false;
      return false;
    }
    if (byte === quote) this.#isText = true;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      this.#depth--;
      if (this.#depth === 1) this.#elements++;
      return this.#depth <= 1;
    }
    return false;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
