import { sessionFailure, type Failure } from "@modelgate/contracts";

/** Maximum bytes of an unfinished frame that are buffered; a longer frame is passed on before its end arrives. */
const maxHeldBytes = 64 * 1024;

/** Bits of a frame's first byte (RFC 6455, 5.2), and the opcodes that matter here. */
const [finalBit, opcodeBits, textCode, closeCode, firstControlCode] = [0x80, 0x0f, 0x1, 0x8, 0x8];
/** Bit of a frame's second byte, and the length in it from which on the length is in the 2 (126) or 8 (127) bytes that follow. */
const [maskBit, shortLength] = [0x80, 126];

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
  #held: Buffer = Buffer.alloc(0);
  /** Remaining bytes of a frame whose beginning was sent. */
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
      const opcode = all.readUInt8(end) & opcodeBits;
      if (opcode === closeCode) this.isClosed = true;
      if (opcode < firstControlCode) this.#isInMessage = (all.readUInt8(end) & finalBit) === 0;
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
}

/** Returns where the frame ends that begins at a place; undefined where its head is not there whole. */
function endOfFrame(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 2) return undefined;
  const second = bytes.readUInt8(at + 1);
  const length = second & ~maskBit;
  const maskBytes = second >= maskBit ? 4 : 0;
  if (length < shortLength) return at + 2 + maskBytes + length;
  if (length === shortLength)
    return bytes.length < at + 4 ? undefined : at + 4 + maskBytes + bytes.readUInt16BE(at + 2);
  return bytes.length < at + 10 ? undefined : at + 10 + maskBytes + Number(bytes.readBigUInt64BE(at + 2));
}

/** Returns a server's whole frame, of at most 64 KiB. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const lengthBytes = length < shortLength ? [length] : [shortLength, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([finalBit | opcode, ...lengthBytes]), payload]);
}
