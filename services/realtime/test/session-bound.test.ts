import { expect, test } from "vitest";
import { capUnits } from "@modelgate/relay";
import { SessionTraffic } from "../src/session-traffic.ts";

/** Bytes per second of usual audio and of telephone audio. */
const [usual, telephone] = [48_000, 8_000];

test.each([
  ["usual sound", usual],
  ["telephone audio, with fewer bytes", telephone],
])("a response that read a complete session of %s is not cut", (_, bytesPerSecond) => {
  const passed = new SessionTraffic();
  for (let minute = 0; minute < 20; minute++) {
    passed.addInput(60 * bytesPerSecond, 0);
    passed.addOutput(30 * bytesPerSecond, 500);
    passed.startNextUse();
  }
  passed.addOutput(60 * bytesPerSecond, 1_000);
  // Input has ten audio tokens per second, output twenty. Earlier output is read again.
  const inputAudioTokens = 20 * (60 * 10 + 30 * 20);
  const units = { inputTokens: 20_000, inputAudioTokens, outputTokens: 1_000, outputAudioTokens: 60 * 20 };
  expect(capUnits(units, passed.bound).capped).toEqual([]);
});

test("the usage of a response is limited by the session's traffic", () => {
  const passed = new SessionTraffic();
  passed.addInput(usual, 100);
  passed.addOutput(usual, 100);
  const { units, capped } = capUnits({ inputAudioTokens: 1e15, outputAudioTokens: 1e15, seconds: 1e9 }, passed.bound);
  expect(capped).toEqual(["inputAudioTokens", "outputAudioTokens", "seconds"]);
  expect(units.inputAudioTokens).toBeLessThan(70_000);
  expect(units.outputAudioTokens).toBeLessThan(20_000);
  expect(units.seconds).toBeLessThan(120);
});
