import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amazonFraming, AmazonSplitter } from "../src/amazon-stream/index.ts";
import { amazonError, amazonException, amazonFrame } from "@modelgate/testkit/amazon-frames";

const frames = fc
  .array(fc.tuple(fc.constantFrom("messageStart", "chunk", "metadata"), fc.dictionary(fc.string(), fc.string())))
  .map((all) => all.map(([type, payload]) => amazonFrame(type, payload)));

describe("AmazonSplitter", () => {
  test("any split of the bytes gives the same frames", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 20 }), (whole, cuts) => {
        const stream = Buffer.concat(whole);
        const positions = [0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length].toSorted((a, b) => a - b);
        const splitter = new AmazonSplitter();
        const splitFrames = positions
          .slice(1)
          .flatMap((end, index) => splitter.push(stream.subarray(positions[index], end)));
        expect(splitFrames.map((frame) => frame.toString("hex"))).toEqual(whole.map((frame) => frame.toString("hex")));
        expect(splitter.empty).toBe(true);
      }),
    );
  });

  test("an unfinished frame is kept until the end of the stream", () => {
    const splitter = new AmazonSplitter();
    const frame = amazonFrame("chunk", { bytes: "YQ==" });
    expect(splitter.push(frame.subarray(0, 20))).toEqual([]);
    expect([splitter.empty, splitter.end().length, splitter.empty]).toEqual([false, 20, true]);
  });

  test.each([
    ["a length above the maximum", (frame: Buffer) => frame.writeUInt32BE(2 ** 31, 0), /longer than/],
    ["a damaged length", (frame: Buffer) => frame.writeUInt32BE(frame.length + 1, 0), /damaged/],
  ])("throws immediately for %s", (_, damage, message) => {
    const frame = Buffer.from(amazonFrame("chunk", {}));
    damage(frame);
    expect(() => new AmazonSplitter().push(frame)).toThrow(message);
  });
});

describe("amazonFraming.parse", () => {
  test.each([
    ["an event", amazonFrame("metadata", { usage: { a: 1 } }), { metadata: { usage: { a: 1 } } }],
    [
      "an exception",
      amazonException("throttlingException", "Too many"),
      { failure: { code: "throttlingException", message: "Too many" } },
    ],
    ["an error", amazonError("InternalError", "No"), { failure: { code: "InternalError", message: "No" } }],
  ])("reads %s", (_, frame, data) => {
    expect(JSON.parse(amazonFraming.parse(frame)?.data ?? "")).toEqual(data);
  });

  test("a frame with a wrong checksum is a failure", () => {
    const frame = Buffer.from(amazonFrame("metadata", { usage: {} }));
    frame.writeUInt8(frame.readUInt8(frame.length - 6) ^ 1, frame.length - 6);
    expect(amazonFraming.parse(frame)?.event).toBe("failure");
  });
});
