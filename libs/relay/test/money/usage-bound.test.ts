import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePrice, inputTotal, outputTotal, unitNames, type UnitName, type Units } from "@modelgate/contracts";
import { boundOfHeld, boundOfText, capUnits } from "../../src/money/usage-bound.ts";

const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ input: 1, output: 10 }) };
const size = { textBytes: 1_000, mediaTokens: 0, maxOutputTokens: 100, choices: 1 };
const bound = boundOfText(size, model);

test.each<[string, Units, readonly UnitName[]]>([
  ["as much as was asked for", { inputTokens: 1_000, outputTokens: 100 }, []],
  ["a least bound of 16 tokens, and an end mark", { inputTokens: 9, outputTokens: 117 }, []],
  ["instructions of the vendor's own", { inputTokens: 20_000, outputTokens: 1 }, []],
  ["thoughts beside the bound", { outputTokens: 100 + 30_000, reasoningTokens: 30_000 }, []],
  ["images and sound beside the bound", { outputTokens: 100, outputImageTokens: 2_520, outputAudioTokens: 700 }, []],
  ["more input than there can be", { inputTokens: 1e300, outputTokens: 5 }, ["inputTokens"]],
  ["more output than there can be", { inputTokens: 5, outputTokens: 1e300 }, ["outputTokens"]],
  ["all of it as thoughts", { outputTokens: 1e300, reasoningTokens: 1e300 }, ["outputTokens"]],
  ["input spread over units", { inputTokens: 60_000, cachedInputTokens: 60_000 }, ["cachedInputTokens"]],
  ["images of a model that writes", { images: 1e9 }, ["images"]],
  ["seconds of a call that has none", { seconds: 5 }, ["seconds"]],
  ["search units", { requests: 1e9 }, ["requests"]],
  [
    "no amounts",
    { inputTokens: -5, outputTokens: Number.NaN, images: Infinity },
    ["inputTokens", "outputTokens", "images"],
  ],
])("%s", (_, reported, capped) => {
  const billed = capUnits(reported, bound);
  expect([...billed.capped].toSorted()).toEqual([...capped].toSorted());
  if (capped.length === 0) expect(billed.units).toEqual(reported);
});

test("fractions of a token are dropped", () => {
  expect(capUnits({ inputTokens: 2.9, seconds: 2.5 }, boundOfHeld({ seconds: 3 })).units).toEqual({
    inputTokens: 2,
    seconds: 2.5,
  });
});

describe("whatever a vendor reports", () => {
  const amounts = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(1e300, -1, Number.NaN, Infinity, 2 ** 53));
  const reports: fc.Arbitrary<Units> = fc
    .dictionary(fc.constantFrom(...unitNames), amounts)
    .map((report) => ({ ...report }));

  test("the billed amount is within the bound, and never more than was reported", () => {
    fc.assert(
      fc.property(reports, (reported) => {
        const { units } = capUnits(reported, bound);
        expect(inputTotal(units)).toBeLessThanOrEqual(bound.inputTokens);
        expect(outputTotal(units)).toBeLessThanOrEqual(bound.outputTokens + bound.extraTokens);
        for (const name of unitNames) {
          const [billed, sent] = [units[name] ?? 0, reported[name] ?? 0];
          expect(billed >= 0 && Number.isFinite(billed)).toBe(true);
          if (sent >= 0) expect(billed).toBeLessThanOrEqual(sent);
        }
      }),
    );
  });
});

test("a request that a vendor's tools add to is bounded by the widest context", () => {
  const beyond = boundOfText({ ...size, readsUnseenInput: true }, model);
  expect(capUnits({ inputTokens: 1_900_000 }, beyond).capped).toEqual([]);
  expect(capUnits({ inputTokens: 1_900_000 }, bound).capped).toEqual(["inputTokens"]);
});

test("without a bound of the client's, the catalogue's is the bound of each answer", () => {
  const unbounded = { ...size, maxOutputTokens: undefined, choices: 2 };
  expect(boundOfText(unbounded, { ...model, maxOutputTokens: 1_000 }).outputTokens).toBe(2_040 + 2 * 16);
  expect(capUnits({ outputTokens: 200_000 }, boundOfText(unbounded, model)).capped).toEqual([]);
  expect(capUnits({ outputTokens: 3_400_000 }, boundOfText(unbounded, model)).capped).toEqual(["outputTokens"]);
});
