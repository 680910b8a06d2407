import { sessionFailure, type Failure } from "@modelgate/contracts";

/** Largest unfinished frame that is kept back; of a longer one the beginning goes out before its end is there. */
const maxHeldBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** Bits of a frame's first byte (RFC 6455, 5.2), and the opcodes that matter here. */
const [finalBit, opcodeBits] = [0x80, 0x0f];
const [textCode, closeCode, firstControlCode] = [0x1, 0x8, 0x8];
/** Lengths in a frame's second byte that say how many bytes the real one has. */
const [maskBit, shortLength, longLength] = [0x80, 126, 127];
/** A control frame's payload has 125 bytes, two of them for the code. */
const maxReasonBytes = 123;

/** How a session is closed by the edge. */
export interface SessionClose {
  /** Close code of RFC 6455, 7.4.1. */
  readonly code: number;
  readonly failure: Failure;
}

/**
 * A service's half of a WebSocket on its way to the client, cut where its frames end: so that, should the service break
 * off, the gateway's own error and close can stand after the last whole frame.
 */
export class FrameEnd {
  #held: Buffer = nothing;
  /** Bytes that are still to come of a frame whose beginning went out. */
  #owed = 0;
  /** Whether a message of several frames is not at its end. */
  #isInMessage = false;
  #isClosed = false;

  /** Whether the service has said good-bye itself. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What of the bytes until now may go on; the beginning of an unfinished frame is kept back. */
  push(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let end = Math.min(this.#owed, all.length);
    this.#owed -= end;
    for (let frame = frameAt(all, end); end < all.length && frame !== undefined; frame = frameAt(all, end)) {
      const isWhole = end + frame.length <= all.length;
      if (!isWhole && frame.length <= maxHeldBytes) break;
      this.#note(frame.opcode, frame.isFinal);
      if (!isWhole) this.#owed = end + frame.length - all.length;
      end = Math.min(all.length, end + frame.length);
    }
    // A copy: a view would keep the whole chunk in memory for as long as the session is silent.
    this.#held = end === all.length ? nothing : Buffer.from(all.subarray(end));
    return end === all.length ? all : all.subarray(0, end);
  }

  /**
   * The frames with which a session ends whose service broke off: the error event, where a message may begin now, and the
   * close. Undefined where the service has closed it already, or a frame is cut.
   */
  fail({ code, failure }: SessionClose, eventId: string): Buffer | undefined {
    if (this.#isClosed || this.#owed > 0) return undefined;
    const reason = Buffer.alloc(2 + Math.min(maxReasonBytes, failure.code.length));
    reason.writeUInt16BE(code);
    reason.write(failure.code, 2, "latin1");
    const event = Buffer.from(JSON.stringify(sessionFailure(failure, eventId)));
    const close = frameOf(closeCode, reason);
    return this.#isInMessage ? close : Buffer.concat([frameOf(textCode, event), close]);
  }

  #note(opcode: number, isFinal: boolean): void {
    if (opcode === closeCode) this.#isClosed = true;
    if (opcode < firstControlCode) this.#isInMessage = !isFinal;
  }
}

/** The frame that begins at a place; undefined where its head is not there whole. */
function frameAt(
  bytes: Buffer,
  at: number,
): { readonly opcode: number; readonly isFinal: boolean; readonly length: number } | undefined {
  const [first, second] = [bytes[at], bytes[at + 1]];
  if (first === undefined || second === undefined) return undefined;
  const shortest = second & ~maskBit;
  const more = shortest === longLength ? 8 : shortest === shortLength ? 2 : 0;
  if (bytes.length < at + 2 + more) return undefined;
  const payload =
    more === 8 ? Number(bytes.readBigUInt64BE(at + 2)) : more === 2 ? bytes.readUInt16BE(at + 2) : shortest;
  const mask = (second & maskBit) === 0 ? 0 : 4;
  return {
    opcode: first & opcodeBits,
    isFinal: (first & finalBit) !== 0,
    length: 2 + more + mask + payload,
  };
}

/** One whole frame of a server. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < shortLength ? 2 : 4);
  head.writeUInt8(finalBit | opcode);
  if (head.length === 2) head.writeUInt8(payload.length, 1);
  else {
    head.writeUInt8(shortLength, 1);
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, payload]);
}
