import { renderSessionFailure, type Failure } from "@modelgate/contracts";

/** Maximum bytes of an unfinished frame that are buffered; a longer frame is sent before its end arrives. */
const maxBufferedBytes = 64 * 1024;

/** Bit masks for a frame's first byte (RFC 6455, 5.2), and opcodes. */
const [finalBit, opcodeBits, textCode, closeCode, firstControlCode] = [0x80, 0x0f, 0x1, 0x8, 0x8];
/**
 * Mask bit of a frame's second byte, and the length value that announces a 16-bit length. Lower values are the length.
 */
const [maskBit, shortLength] = [0x80, 126];

/** Close code and error with which the edge ends a session. */
export interface SessionClose {
  readonly code: number;
  readonly failure: Failure;
}

/**
 * Cuts the bytes of a service's WebSocket at frame ends. An error event and a close frame can then follow if the
 * service disconnects.
 */
export class SessionErrorAppender {
  /** True after the service has sent a close frame. */
  isClosed = false;
  #buffered: Buffer = Buffer.alloc(0);
  /** Remaining bytes of a frame whose beginning was already sent. */
  #missing = 0;
  /** True between the frames of a fragmented message. */
  #isInMessage = false;

  /** Returns the bytes that may be sent, and buffers the beginning of an unfinished frame. */
  push(chunk: Buffer): Buffer {
    const all = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    let end = Math.min(this.#missing, all.length);
    this.#missing -= end;
    while (end < all.length) {
      const next = endOfFrame(all, end);
      if (next === undefined || (next > all.length && next - end <= maxBufferedBytes)) break;
      const opcode = all.readUInt8(end) & opcodeBits;
      if (opcode === closeCode) this.isClosed = true;
      if (opcode < firstControlCode) this.#isInMessage = (all.readUInt8(end) & finalBit) === 0;
      this.#missing = Math.max(0, next - all.length);
      end = Math.min(next, all.length);
    }
    // A view would keep the complete chunk in memory while the session is silent.
    this.#buffered = Buffer.from(all.subarray(end));
    return all.subarray(0, end);
  }

  /**
   * Returns the last frames of a session whose service disconnected: an error event and a close frame. Inside a
   * fragmented message, returns only the close frame. Undefined if no frame can follow. A format without error events
   * has no `eventId`; its close frame contains the message.
   */
  renderEnd({ code, failure }: SessionClose, eventId: string | undefined): Buffer | undefined {
    if (this.isClosed || this.#missing > 0) return undefined;
    const reason = eventId === undefined ? failure.message : failure.code;
    const close = buildFrame(closeCode, Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]));
    if (this.#isInMessage || eventId === undefined) return close;
    const event = Buffer.from(JSON.stringify(renderSessionFailure(failure, eventId)));
    return Buffer.concat([buildFrame(textCode, event), close]);
  }
}

function endOfFrame(bytes: Buffer, position: number): number | undefined {
  if (bytes.length < position + 2) return undefined;
  const second = bytes.readUInt8(position + 1);
  const length = second & ~maskBit;
  const maskBytes = second >= maskBit ? 4 : 0;
  if (length < shortLength) return position + 2 + maskBytes + length;
  if (length === shortLength)
    return bytes.length < position + 4 ? undefined : position + 4 + maskBytes + bytes.readUInt16BE(position + 2);
  return bytes.length < position + 10
    ? undefined
    : position + 10 + maskBytes + Number(bytes.readBigUInt64BE(position + 2));
}

function buildFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const lengthBytes = length < shortLength ? [length] : [shortLength, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([finalBit | opcode, ...lengthBytes]), payload]);
}
