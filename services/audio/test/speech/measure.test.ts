import { describe, expect, test } from "vitest";
import { compilePrice, costOf, type ConfiguredPrice } from "@modelgate/contracts";
import { isByTokens, speechMeasure } from "../../src/speech/measure.ts";

const request = { model: "m", input: "Grüße 🎉", format: "mp3", events: false } as const;
const words = () => Promise.resolve(0);

test.each<[ConfiguredPrice, boolean]>([
  [{ character: 0.1 }, false],
  [{ character: 0.1, outputAudio: 12 }, false],
  [{ outputAudio: 12 }, true],
  [{ input: 1 }, true],
  [{ request: 1 }, false],
])("%j is priced by tokens: %s", (price, byTokens) => {
  expect(isByTokens(compilePrice(price))).toBe(byTokens);
});

test("by characters, the hold is exactly the charge, regardless of the vendor's report", async () => {
  const price = compilePrice({ character: 0.000015 });
  const { upper, meter } = speechMeasure(request, price);
  const { units, estimated } = await meter({ inputTokens: 9, outputAudioTokens: 9 }, words, "cancelled");
  expect(estimated).toBe(false);
  expect(costOf(upper, price, 1)).toBe(7n * 15_000n);
  expect(costOf(units, price, 1)).toBe(costOf(upper, price, 1));
});

test.each([{ character: 0.1 }, { outputAudio: 12 }])(
  "priced as %j, interrupted speech costs nothing",
  async (price) => {
    const { units } = await speechMeasure(request, compilePrice(price)).meter(
      { outputAudioTokens: 4 },
      words,
      "failed",
    );
    expect(units).toEqual({});
  },
);

describe("by tokens", () => {
  const price = compilePrice({ input: 0.6, outputAudio: 12 });

  test("the vendor's report", async () => {
    const reported = { inputTokens: 4, outputAudioTokens: 40 };
    expect(await speechMeasure(request, price).meter(reported, words, "completed")).toEqual({
      units: reported,
      estimated: false,
    });
  });

  test.each([1, 4, 0.25])("an estimate never costs more than was held, at speed %s", async (speed) => {
    const { upper, meter } = speechMeasure({ ...request, speed, instructions: "Speak as slowly as you can." }, price);
    const { units, estimated } = await meter(undefined, words, "cancelled");
    expect(estimated).toBe(true);
    expect(costOf(units, price, 1) <= costOf(upper, price, 1)).toBe(true);
  });
});
