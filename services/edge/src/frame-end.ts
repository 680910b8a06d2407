import { sessionFailure, type Failure } from "@modelgate/contracts";

/** Largest unfinished frame that is kept back; of a longer one the beginning goes out before its end is there. */
const maxHeldBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** Bits of a frame's first byte (RFC 6455, 5.2), and the opcodes that matter here. */
const [finalBit, opcodeBits, textCode, closeCode, firstControlCode] = [0x80, 0x0f, 0x1, 0x8, 0x8];
/** Lengths in a frame's second byte that stand for longer ones, in the 2 or 8 bytes that follow. */
const [maskBit, shortLength, longLength] = [0x80, 126, 127];

/** A session's close by the edge. */
export interface SessionClose {
  /** Close code of RFC 6455, 7.4.1. */
  readonly code: number;
  readonly failure: Failure;
}

/**
 * A service's half of a WebSocket on its way to the client, cut where its frames end: so that, should the service break
 * off, the gateway's error and close can follow the last whole frame.
 */
export class FrameEnd {
  /** True once the service has sent its own close. */
  isClosed = false;
  #held: Buffer = nothing;
  /** Bytes that are still to come of a frame whose beginning went out. */
  #missing = 0;
  /** True between the frames of one message. */
  #isInMessage = false;

  /** Returns the bytes that may go on; the beginning of an unfinished frame is kept back. */
  push(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let end = Math.min(this.#missing, all.length);
    this.#missing -= end;
    while (end < all.length) {
      const next = endOfFrame(all, end);
      if (next === undefined || (next > all.length && next - end <= maxHeldBytes)) break;
      this.#note(all.readUInt8(end));
      this.#missing = Math.max(0, next - all.length);
      end = Math.min(next, all.length);
    }
    // A copy: a view would keep the whole chunk in memory for as long as the session is silent.
    this.#held = Buffer.from(all.subarray(end));
    return all.subarray(0, end);
  }

  /**
   * Returns the frames with which a session ends whose service broke off: the error event, where a message may begin now,
   * and the close. Undefined where the service has closed it already, or a frame is cut.
   */
  fail({ code, failure }: SessionClose, eventId: string): Buffer | undefined {
    if (this.isClosed || this.#missing > 0) return undefined;
    const reason = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(failure.code)]);
    const close = frameOf(closeCode, reason);
    if (this.#isInMessage) return close;
    const event = Buffer.from(JSON.stringify(sessionFailure(failure, eventId)));
    return Buffer.concat([frameOf(textCode, event), close]);
  }

  #note(firstByte: number): void {
    const opcode = firstByte & opcodeBits;
    if (opcode === closeCode) this.isClosed = true;
    if (opcode < firstControlCode) this.#isInMessage = (firstByte & finalBit) === 0;
  }
}

/** Returns where the frame ends that begins at a place; undefined where its head is not there whole. */
function endOfFrame(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 2) return undefined;
  const second = bytes.readUInt8(at + 1);
  const length = second & ~maskBit;
  const lengthBytes = length === longLength ? 8 : length === shortLength ? 2 : 0;
  const payload = at + 2 + lengthBytes;
  if (bytes.length < payload) return undefined;
  const size =
    lengthBytes === 8 ? Number(bytes.readBigUInt64BE(at + 2)) : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : length;
  return payload + ((second & maskBit) === 0 ? 0 : 4) + size;
}

/** Returns a server's whole frame, of at most 64 KiB. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const lengthBytes = length < shortLength ? [length] : [shortLength, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([finalBit | opcode, ...lengthBytes]), payload]);
}
