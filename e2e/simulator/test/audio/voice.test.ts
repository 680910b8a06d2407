import { describe, expect, test } from "vitest";
import { sampleRate, speak, type Manner } from "../../src/audio/voice.ts";

const usual = { voice: "alloy", speed: 1 } as const;

function samplesOf(text: string, manner: Manner = usual): Int16Array {
  return Int16Array.from([...speak(text, manner).pieces()].flatMap((piece) => [...piece]));
}

/** Frames of 20 ms. */
function framesOf(samples: Int16Array): readonly Int16Array[] {
  const length = sampleRate / 50;
  return Array.from({ length: Math.floor(samples.length / length) }, (_, at) =>
    samples.subarray(at * length, (at + 1) * length),
  );
}

/** The loudness of a frame. */
function loudness(frame: Int16Array): number {
  return Math.sqrt(frame.reduce((sum, sample) => sum + sample * sample, 0) / frame.length);
}

/** How often in a second a frame's wave crosses zero: seldom in vowels, often in hisses. */
function crossings(frame: Int16Array): number {
  const count = frame.filter((sample, at) => at > 0 && sample < 0 !== (frame[at - 1] ?? 0) < 0).length;
  return (count * sampleRate) / frame.length;
}

describe("English", () => {
  test("has vowels, hisses and rests, which no tone has together", () => {
    const frames = framesOf(samplesOf("She sells sea shells by the sea shore."));
    const loud = frames.filter((frame) => loudness(frame) > 500);
    const share = (part: readonly Int16Array[]): number => part.length / frames.length;
    expect(share(loud)).toBeGreaterThan(0.4);
    expect(share(frames.filter((frame) => loudness(frame) < 50))).toBeGreaterThan(0.03);
    expect(share(loud.filter((frame) => crossings(frame) < 2_500))).toBeGreaterThan(0.2);
    expect(share(loud.filter((frame) => crossings(frame) > 6_000))).toBeGreaterThan(0.1);
  });

  test("other words sound otherwise, though they are as long", () => {
    const [one, other] = [samplesOf("seven ships"), samplesOf("mellow moon")];
    expect(one.length).toBe(other.length);
    const hisses = (samples: Int16Array): number =>
      framesOf(samples).filter((frame) => loudness(frame) > 500 && crossings(frame) > 6_000).length;
    expect(hisses(one)).toBeGreaterThan(3);
    expect(hisses(other)).toBe(0);
  });

  test("voices differ, and each says the same again", () => {
    const text = "Good morning.";
    const [alloy, again, echo] = [samplesOf(text), samplesOf(text), samplesOf(text, { ...usual, voice: "echo" })];
    expect(again).toEqual(alloy);
    expect(echo).not.toEqual(alloy);
  });
});

test.each([
  ["words", "Good morning, all of you who listen.", 1, 36 * 0.06],
  ["a digit, which is a word", "It is 42.", 1, (7 + 2 * 5) * 0.06],
  ["quick words", "Good morning, all of you who listen.", 4, (36 * 0.06) / 4],
  ["slow words", "Good morning.", 0.25, (13 * 0.06) / 0.25],
  ["a word without an end", "a".repeat(300), 1, 300 * 0.06],
  ["many clauses", "One, two. ".repeat(50), 1, 500 * 0.06],
  ["letters that it cannot read", "Привет, мир", 1, 11 * 0.06],
])("%s: it lasts as long as it says, and is heard", (_, text, speed, seconds) => {
  const speech = speak(text, { ...usual, speed });
  expect(speech.seconds).toBeCloseTo(seconds);
  const samples = samplesOf(text, { ...usual, speed });
  expect(samples.length).toBe(speech.samples);
  const loud = framesOf(samples).filter((frame) => loudness(frame) > 500);
  expect(loud.length * 0.02).toBeGreaterThan(seconds * 0.3);
});

test.each(["", "...", "🎉"])("what is no word, as %j, is silent for its time", (text) => {
  const samples = samplesOf(text);
  expect(samples.length).toBe(Math.max(1, Array.from(text).length) * 0.06 * sampleRate);
  expect(framesOf(samples).every((frame) => loudness(frame) === 0)).toBe(true);
});
