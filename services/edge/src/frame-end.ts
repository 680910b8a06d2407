import { sessionFailure, type Failure } from "@modelgate/contracts";

/** Maximum bytes of an unfinished frame that are buffered; a longer frame is sent before its end arrives. */
const maxHeldBytes = 64 * 1024;

/** Bits of a frame's first byte (RFC 6455, 5.2), and the opcodes used here. */
const [finalBit, opcodeBits, textCode, closeCode, firstControlCode] = [0x80, 0x0f, 0x1, 0x8, 0x8];
/** Mask bit of a frame's second byte, and the length values (126, 127) that mean 2 or 8 length bytes follow. */
const [maskBit, shortLength] = [0x80, 126];

/** A session's close by the edge. */
export interface SessionClose {
  /** Close code of RFC 6455, 7.4.1. */
  readonly code: number;
  readonly failure: Failure;
}

/**
 * Cuts a service's WebSocket bytes at frame ends. If the service disconnects, the error event and close of the gateway
 * can follow the last complete frame.
 */
export class FrameEnd {
  /** True once the service has sent its own close. */
  isClosed = false;
  #held: Buffer = Buffer.alloc(0);
  /** Remaining bytes of a frame whose beginning was sent. */
  #missing = 0;
  /** True between the frames of one message. */
  #isInMessage = false;

  /** Returns the bytes that may be sent; keeps the beginning of an unfinished frame. */
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
    // Copied, because a view would keep the complete chunk in memory while the session is silent.
    this.#held = Buffer.from(all.subarray(end));
    return all.subarray(0, end);
  }

  /**
   * Returns the frames that end a session whose service disconnected: the error event, where a message may begin now,
   * and the close. Undefined where the service has already closed it, or a frame is incomplete.
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

/** Returns the end of the frame that begins at `at`; undefined where its head is incomplete. */
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

/** Returns a server's frame with a payload of at most 64 KiB. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const lengthBytes = length < shortLength ? [length] : [shortLength, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([finalBit | opcode, ...lengthBytes]), payload]);
}
