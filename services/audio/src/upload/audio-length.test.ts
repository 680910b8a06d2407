import { expect, test } from "vitest";
import { mostIn } from "./audio-length.ts";

test.each([
  ["its rate, where the head tells less", { duration: 3, bitrate: 32_000 }, 100],
  ["what the head tells, where its rate falls", { duration: 120, bitrate: 320_000 }, 120],
  ["nothing without a length", { bitrate: 32_000 }, undefined],
  ["nothing without a rate", { duration: 3 }, undefined],
  ["nothing of a rate that is none", { duration: 3, bitrate: 0 }, undefined],
])("what 400,000 bytes can hold is by %s", (_, found, seconds) => {
  expect(mostIn(found, 400_000)).toBe(seconds);
});
