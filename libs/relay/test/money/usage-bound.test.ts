import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compilePrice,
  totalInputTokens,
  totalOutputTokens,
  unitNames,
  type UnitName,
  type Units,
} from "@modelgate/contracts";
import { boundOfHeld, boundOfText, capUnits } from "../../src/money/usage-bound.ts";

const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ input: 1, output: 10 }) };
const size = { textBytes: 1_000, mediaTokens: 0, maxOutputTokens: 100, choices: 1 };
const bound = boundOfText(size, model);

test.each<[string, Units, readonly UnitName[]]>([
  ["as much as requested", { inputTokens: 1_000, outputTokens: 100 }, []],
  ["a minimum limit of 16 tokens, and an end token", { inputTokens: 9, outputTokens: 117 }, []],
  ["instructions that the vendor adds", { inputTokens: 20_000, outputTokens: 1 }, []],
  ["reasoning in addition to the limit", { outputTokens: 100 + 30_000, reasoningTokens: 30_000 }, []],
  [
    "images and audio in addition to the limit",
    { outputTokens: 100, outputImageTokens: 2_520, outputAudioTokens: 700 },
    [],
  ],
  ["more input than possible", { inputTokens: 1e300, outputTokens: 5 }, ["inputTokens"]],
  ["more output than possible", { inputTokens: 5, outputTokens: 1e300 }, ["outputTokens"]],
  ["all output as reasoning", { outputTokens: 1e300, reasoningTokens: 1e300 }, ["outputTokens"]],
  ["input spread over units", { inputTokens: 60_000, cachedInputTokens: 60_000 }, ["cachedInputTokens"]],
  ["images of a text model", { images: 1e9 }, ["images"]],
  ["seconds of a call without seconds", { seconds: 5 }, ["seconds"]],
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

describe("for any report of a vendor", () => {
  const amounts = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(1e300, -1, Number.NaN, Infinity, 2 ** 53));
  const reports: fc.Arbitrary<Units> = fc
    .dictionary(fc.constantFrom(...unitNames), amounts)
    .map((report) => ({ ...report }));

  test("the billed amount is within the limit, and never above the report", () => {
    fc.assert(
      fc.property(reports, (reported) => {
        const { units } = capUnits(reported, bound);
        expect(totalInputTokens(units)).toBeLessThanOrEqual(bound.inputTokens);
        expect(totalOutputTokens(units)).toBeLessThanOrEqual(bound.outputTokens + bound.extraTokens);
        for (const name of unitNames) {
          const [billed, sent] = [units[name] ?? 0, reported[name] ?? 0];
          expect(billed >= 0 && Number.isFinite(billed)).toBe(true);
          if (sent >= 0) expect(billed).toBeLessThanOrEqual(sent);
        }
      }),
    );
  });
});

test("a request that a vendor's tools extend is limited by the largest context", () => {
  const beyond = boundOfText({ ...size, readsHiddenInput: true }, model);
  expect(capUnits({ inputTokens: 1_900_000 }, beyond).capped).toEqual([]);
  expect(capUnits({ inputTokens: 1_900_000 }, bound).capped).toEqual(["inputTokens"]);
});

test("without a limit of the client, the catalogue's limit applies to each answer", () => {
  const unbounded = { ...size, maxOutputTokens: undefined, choices: 2 };
  expect(boundOfText(unbounded, { ...model, maxOutputTokens: 1_000 }).outputTokens).toBe(2_040 + 2 * 16);
  expect(capUnits({ outputTokens: 200_000 }, boundOfText(unbounded, model)).capped).toEqual([]);
  expect(capUnits({ outputTokens: 3_400_000 }, boundOfText(unbounded, model)).capped).toEqual(["outputTokens"]);
});
