import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { SessionErrorAppender } from "../src/frame-end.ts";

const close = { code: 1012, failure: new Failure("server_overloaded", "gone") };

function frame(opcode: number, payload: string, isFinal = true): Buffer {
  const bytes = Buffer.from(payload);
  const first = (isFinal ? 0x80 : 0) | opcode;
  const length = bytes.length;
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), bytes]);
  if (length < 65_536) return Buffer.concat([Buffer.from([first, 126, length >> 8, length & 0xff]), bytes]);
  const head = Buffer.alloc(10);
  head.set([first, 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, bytes]);
}

interface Read {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: string;
}

/** Parses frames. Throws if bytes are left over. */
function framesOf(bytes: Buffer): readonly Read[] {
  const found: Read[] = [];
  for (let at = 0; at < bytes.length;) {
    const [first, second] = [bytes.readUInt8(at), bytes.readUInt8(at + 1)];
    const head = second === 127 ? 10 : second === 126 ? 4 : 2;
    const length =
      second === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : second === 126 ? bytes.readUInt16BE(at + 2) : second;
    if (at + head + length > bytes.length) throw new Error("a frame is cut");
    const payload = bytes.toString("latin1", at + head, at + head + length);
    found.push({ opcode: first & 0x0f, isFinal: first >= 0x80, payload });
    at += head + length;
  }
  return found;
}

/**
 * Returns the bytes that a client gets of a session that is interrupted after `cut` bytes. They arrive in pieces of
 * `piece` bytes.
 */
function interruptedSession(session: Buffer, cut: number, piece: number): Buffer {
  const end = new SessionErrorAppender();
  const got: Buffer[] = [];
  for (let at = 0; at < cut; at += piece)
    got.push(Buffer.from(end.push(session.subarray(at, Math.min(cut, at + piece)))));
  return Buffer.concat([...got, end.renderEnd(close, "event_1") ?? Buffer.alloc(0)]);
}

const closeFrame = { opcode: 8, isFinal: true, payload: "\x03\xf4server_overloaded" };
const events = [frame(1, '{"type":"a"}'), frame(9, ""), frame(1, "x".repeat(300)), frame(2, "y".repeat(70_000))];

describe.each([1, 3, 1_000, 100_000])("a session in chunks of %d bytes, interrupted anywhere", (piece) => {
  test("has complete frames, then the error event and the close", () => {
    const session = Buffer.concat(events.slice(0, 3));
    for (let cut = 0; cut <= session.length; cut++) {
      const frames = framesOf(interruptedSession(session, cut, piece));
      expect(frames.at(-1)).toEqual(closeFrame);
      expect(JSON.parse(frames.at(-2)?.payload ?? "")).toMatchObject({
        type: "error",
        event_id: "event_1",
        error: { code: "server_overloaded", message: "gone" },
      });
      expect(frames.slice(0, -2)).toEqual(framesOf(session).slice(0, frames.length - 2));
    }
  });
});

test("all frames are passed on unchanged", () => {
  const session = Buffer.concat(events);
  const end = new SessionErrorAppender();
  const got: Buffer[] = [];
  for (let at = 0; at < session.length; at += 1_300) got.push(Buffer.from(end.push(session.subarray(at, at + 1_300))));
  expect(Buffer.concat(got).equals(session)).toBe(true);
});

test("no error event is sent inside a frame that is too long to be held back", () => {
  const [long = Buffer.alloc(0)] = events.slice(3);
  const end = new SessionErrorAppender();
  expect(end.push(long.subarray(0, 500))).toHaveLength(500);
  expect(end.renderEnd(close, "event_1")).toBeUndefined();
  end.push(long.subarray(500));
  expect(end.renderEnd(close, "event_1")).toBeDefined();
});

test("between the frames of one message a close is sent, and no event", () => {
  const session = Buffer.concat([frame(1, "first", false), frame(9, "ping")]);
  expect(framesOf(interruptedSession(session, session.length, 4)).slice(2)).toEqual([closeFrame]);
  const whole = Buffer.concat([session, frame(0, "last")]);
  expect(framesOf(interruptedSession(whole, whole.length, 4))).toHaveLength(5);
});

test("a session that the service has closed is not closed again", () => {
  const session = Buffer.concat([frame(1, "{}"), frame(8, "\x03\xe8")]);
  expect(framesOf(interruptedSession(session, session.length, 100))).toHaveLength(2);
});

test("a format without error events gets only a close with the message", () => {
  const last = new SessionErrorAppender().renderEnd(close, undefined);
  expect(framesOf(last ?? Buffer.alloc(0))).toEqual([{ opcode: 8, isFinal: true, payload: "\x03\xf4gone" }]);
});
