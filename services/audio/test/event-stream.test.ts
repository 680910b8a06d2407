import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { speechCodec } from "@modelgate/wires/speech";
import { eventsThrough, isErrorEvent } from "../src/event-stream.ts";

const done = 'data: {"type":"speech.audio.done"}\n\n';
const error = 'data: {"type":"error","error":{"message":"no"}}\n\n';

test.each([
  ["an error", error, true],
  ["an error without its empty line", error.trim(), true],
  ["an error after a comment", `: ping\n\n${error}`, true],
  ["what nobody can read", "data: {\n\n", true],
  ["a comment", ": keep-alive\n\n", false],
  ["audio", 'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n', false],
  ["the end", done, false],
])("a stream may begin with %s", (_, first, isError) => {
  expect(isErrorEvent(Buffer.from(first), speechCodec.readEvent)).toBe(isError);
});

describe("a vendor's events", () => {
  const look = ({ data }: { readonly data: string }) => data.includes(".done");

  test("go on byte for byte, however they are cut, until the last one", () => {
    const stream = Buffer.from(`: ping\n\ndata: {"a":\ndata: 1}\r\n\r\n${done}`);
    const carrier = eventsThrough(look);
    const out: Buffer[] = [];
    for (const byte of stream) {
      expect(carrier.done).toBe(false);
      out.push(Buffer.from(carrier.push(Buffer.from([byte])).out));
    }
    expect(carrier.done).toBe(true);
    expect(Buffer.concat(out)).toEqual(stream);
    expect(carrier.end()).toBe("");
  });

  test("that end early are no whole answer", () => {
    const carrier = eventsThrough(look);
    carrier.push(Buffer.from(": ping\n\ndata: {}\n\n"));
    expect(() => carrier.end()).toThrow(Failure);
  });
});
