import { expect, test } from "vitest";
import { secondsIn } from "../../src/upload/audio-length.ts";

test.each([
  ["the length in its header", { duration: 120, bitrate: 320_000 }, 120],
  ["from its rate, if the header has no length", { bitrate: 32_000 }, 100],
  ["from its rate, if the header has the length 0", { duration: 0, bitrate: 32_000 }, 100],
  ["from its samples, if the header states less", { duration: 1, maxBitrate: 128_000 }, 25],
  ["unknown without a length and a rate", {}, undefined],
  ["unknown with rate 0", { bitrate: 0 }, undefined],
  ["unknown with an infinite length", { duration: Infinity }, undefined],
])("the length of 400,000 bytes is %s", (_, lengthFound, seconds) => {
  expect(secondsIn(lengthFound, 400_000)).toBe(seconds);
});
