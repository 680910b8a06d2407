import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseDecoder, SseSplitter } from "../src/sse/framing.ts";

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cutPositions = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [...cutPositions, bytes.length].map((end, index) =>
    bytes.subarray(index === 0 ? 0 : (cutPositions[index - 1] ?? 0), end),
  );
}

const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, " "));
const frame = fc.record({
  event: fc.option(
    line.filter((text) => text !== "" && !text.startsWith(" ")),
    { nil: undefined },
  ),
  data: fc.array(line, { minLength: 1, maxLength: 3 }),
});
const places = fc.array(fc.nat({ max: 10_000 }), { maxLength: 12 });

function written(
  frames: readonly { event: string | undefined; data: readonly string[] }[],
  end: string,
  comments: boolean,
): Buffer {
  return Buffer.from(
    frames
      .map(
        ({ event, data }) =>
          `${comments ? `: note${end}${end}` : ""}${event === undefined ? "" : `event: ${event}${end}`}${data.map((text) => `data: ${text}${end}`).join("")}${end}`,
      )
      .join(""),
  );
}

describe("decoding", () => {
  test("the frames are the same for any split of the stream", () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 5 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.boolean(),
        places,
        (frames, end, comments, at) => {
          const decoder = new SseDecoder();
          const read = [
            ...cut(written(frames, end, comments), at).flatMap((bytes) => decoder.push(bytes)),
            ...decoder.end(),
          ];
          expect(read).toEqual(frames.map(({ event, data }) => ({ event, data: data.join("\n") })));
        },
      ),
    );
  });

  test.each([
    ["a last frame without its empty line", "data: a\n\ndata: b", ["a", "b"]],
    ["data without a space", "data:a\n\n", ["a"]],
    ["other fields and comments", ": hi\nid: 7\nretry: 5\ndata: a\n\n: bye\n\n", ["a"]],
    ["empty data", "data:\n\n", [""]],
    ["nothing", "", []],
  ])("%s", (_, text, data) => {
    const decoder = new SseDecoder();
    expect([...decoder.push(Buffer.from(text)), ...decoder.end()].map((frame) => frame.data)).toEqual(data);
  });

  test("a frame that never ends is refused, not buffered", () => {
    const decoder = new SseDecoder();
    const mebibyte = Buffer.from("data: ".padEnd(2 ** 20, "x"));
    for (let at = 0; at < 16; at++) decoder.push(mebibyte);
    expect(() => decoder.push(mebibyte)).toThrow(RangeError);
  });
});

describe("splitting", () => {
  test("the frames and the rest are the stream, byte for byte, and each frame is one", () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 5 }),
        fc.constantFrom("\n", "\r\n"),
        fc.string({ maxLength: 5 }),
        places,
        (frames, end, rest, at) => {
          const bytes = Buffer.concat([written(frames, end, false), Buffer.from(rest.replaceAll(/[\r\n]/g, ""))]);
          const splitter = new SseSplitter();
          const pieces = cut(bytes, at).flatMap((chunk) => splitter.push(Buffer.from(chunk)));
          expect(pieces).toHaveLength(frames.length);
          expect(Buffer.concat([...pieces, splitter.end()])).toEqual(bytes);
          expect(splitter.empty).toBe(true);
        },
      ),
    );
  });

  test("a frame in many chunks copies each byte once, and returned frames stay unchanged", () => {
    const splitter = new SseSplitter();
    const first = splitter.push(Buffer.from("data: one\n\ndata: "));
    for (let at = 0; at < 1_000; at++) expect(splitter.push(Buffer.alloc(1_000, 97))).toEqual([]);
    const second = splitter.push(Buffer.from("\n\ndata: three\n\nda"));
    expect(second.map((frame) => frame.length)).toEqual([1_000_008, 13]);
    expect(splitter.push(Buffer.from("ta: four\n\n")).map(String)).toEqual(["data: four\n\n"]);
    expect([...first, second[1]].map(String)).toEqual(["data: one\n\n", "data: three\n\n"]);
    expect(second[0]?.subarray(0, 9).toString()).toBe("data: aaa");
  });
});
