import { expect, test } from "vitest";
import { inBlocks, sampleRate, synthesize } from "../src/audio/voice.ts";

const samplesOf = (text: string, voice = "alloy", speed = 1): number[] =>
  [...synthesize(text, { voice, speed }).pieces()].flatMap((piece) => [...piece]);

test.each([
  ["words", "Good morning, all of you who listen.", 1, 36 * 0.06],
  ["a digit, which is a word", "It is 42.", 1, (7 + 2 * 5) * 0.06],
  ["quick words", "Good morning, all of you who listen.", 4, (36 * 0.06) / 4],
  ["slow words", "Good morning.", 0.25, (13 * 0.06) / 0.25],
  ["another script", "Привет, мир", 1, 11 * 0.06],
])("%s: it has the stated duration, and is transcribed", (_, text, speed, seconds) => {
  const speech = synthesize(text, { voice: "alloy", speed });
  expect(speech.seconds).toBeCloseTo(seconds);
  const samples = samplesOf(text, "alloy", speed);
  expect(samples.length).toBe(speech.samples);
  expect(samples.length).toBe(Math.round(seconds * sampleRate));
  expect(samples.some((sample) => Math.abs(sample) > 500)).toBe(true);
});

test("voices and texts differ, and each result can be reproduced", () => {
  const [one, again] = [samplesOf("one two"), samplesOf("one two")];
  expect(again).toEqual(one);
  expect(samplesOf("one two", "echo")).not.toEqual(one);
  expect(samplesOf("two one")).not.toEqual(one);
});

test.each([
  ["chunks of any size", [4, 6], 4, [4, 4, 2]],
  ["a chunk of several blocks", [10], 3, [3, 3, 3, 1]],
  ["many chunks of one block", [1, 1, 1, 7], 5, [5, 5]],
  ["nothing", [], 4, []],
])("samples are split into blocks of one size: %s", (_, pieces, size, sizes) => {
  const samples = Int16Array.from({ length: 10 }, (__, at) => at);
  let at = 0;
  const blocks = [
    ...inBlocks(
      pieces.map((length) => samples.subarray(at, (at += length))),
      size,
    ),
  ];
  expect(blocks.map(({ length }) => length)).toEqual(sizes);
  expect(blocks.flatMap((block) => [...block])).toEqual([...samples.subarray(0, at)]);
});
