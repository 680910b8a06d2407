import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { wires } from "@modelgate/wires/speech";
import { wires as transcripts } from "@modelgate/wires/transcripts";
import { canBeginAnswer, passEvents } from "../src/event-stream.ts";

const done = 'data: {"type":"speech.audio.done"}\n\n';

test.each([
  ["an error", '{"type":"error","error":{"message":"no"}}', false],
  ["an event without a type", "{}", false],
  ["an unreadable event", "{", false],
  ["audio", '{"type":"speech.audio.delta","audio":"AAAA"}', true],
  ["the end", '{"type":"speech.audio.done"}', true],
])("a stream that begins with %s", (_, data, may) => {
  expect(canBeginAnswer({ data }, wires.speech.vendor.stream().read)).toBe(may);
});

test("a stream of transcripts may begin with a chunk of vLLM, which has no type", () => {
  const data = '{"object":"transcription.chunk","choices":[{"delta":{"content":"Hi"}}]}';
  expect(canBeginAnswer({ data }, transcripts.transcriptions.vendor.stream().read)).toBe(true);
});

describe("a vendor's events", () => {
  const inspect = ({ data }: { readonly data: string }) => ({ done: data.includes(".done") });

  test("are forwarded unchanged until the last one", () => {
    const frames = [": ping\n\n", 'data: {"a":\ndata: 1}\r\n\r\n', done].map((frame) => Buffer.from(frame));
    const translator = passEvents(inspect);
    const read = frames.map((frame) => translator.read(frame));
    expect(read.map((reading) => reading.isLast)).toEqual([false, false, true]);
    expect(read.map((reading) => reading.render())).toEqual(frames);
    expect(translator.end()).toBe("");
  });

  test("are replaced by their rendered text", () => {
    const translator = passEvents(() => ({ done: true, rendered: "data: {}\n\n" }));
    expect(translator.read(Buffer.from(done)).render()).toBe("data: {}\n\n");
  });

  test("that end early are not a complete answer", () => {
    const translator = passEvents(inspect);
    translator.read(Buffer.from("data: {}\n\n"));
    expect(() => translator.end()).toThrow(Failure);
  });
});
