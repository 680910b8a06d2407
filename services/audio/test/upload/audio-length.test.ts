import { expect, test } from "vitest";
import { secondsIn } from "../../src/upload/audio-length.ts";

test.each([
  ["what its head states", { duration: 120, bitrate: 320_000 }, 120],
  ["its rate, where the head states no length", { bitrate: 32_000 }, 100],
  ["its rate, where the head states a length of nothing", { duration: 0, bitrate: 32_000 }, 100],
  ["its bytes as samples, where the head states less than they make", { duration: 1, maxBitrate: 128_000 }, 25],
  ["unknown without a length and a rate", {}, undefined],
  ["unknown at a rate of nothing", { bitrate: 0 }, undefined],
  ["unknown at no length that ends", { duration: Infinity }, undefined],
])("the length of 400,000 bytes is %s", (_, found, seconds) => {
  expect(secondsIn(found, 400_000)).toBe(seconds);
});
