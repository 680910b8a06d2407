import fc from "fast-check";
import { expect, test } from "vitest";
import { costLines } from "../../src/money/cost-lines.ts";
import { compilePrice, costOf } from "../../src/money/price.ts";

test("lists each used and priced unit with its exact cost", () => {
  const price = compilePrice({
    input: 2.5,
    output: 10,
    image: 0.04,
    serviceTiers: { flex: 0.5 },
    tools: { webSearch: 0.01 },
  });
  const flex = price.serviceTiers.get("flex") ?? price;
  const lines = costLines({ inputTokens: 1_000, outputTokens: 3, webSearches: 2, requests: 1 }, flex, 1.5);
  expect(
    lines.map(({ unit, amount, dollarsEach, factor, dollars }) => [unit, amount, dollarsEach, factor, dollars]),
  ).toEqual([
    ["inputTokens", "1000", "0.0000025", "0.5", "0.001875"],
    ["outputTokens", "3", "0.00001", "0.5", "0.0000225"],
    ["webSearches", "2", "0.01", "1", "0.03"],
  ]);
});

const amount = fc.integer({ min: 0, max: 10 ** 9 });
const dollars = fc.integer({ min: 0, max: 10 ** 9 }).map((n) => n / 10 ** 6);

test("the lines add up to the cost", () => {
  fc.assert(
    fc.property(
      fc.record({
        inputTokens: amount,
        outputTokens: amount,
        images: amount,
        seconds: fc.integer({ max: 10 ** 6, min: 0 }).map((n) => n / 1_000),
      }),
      fc.record({ input: dollars, output: dollars, image: dollars, second: dollars }),
      fc.integer({ min: 0, max: 10 ** 6 }).map((n) => n / 1_000),
      fc.integer({ min: 0, max: 10 ** 9 }),
      (units, written, multiplier, above) => {
        const price = compilePrice({ ...written, tiers: [{ above, input: 7 }] });
        const sum = costLines(units, price, multiplier).reduce((all, line) => all + scaled(line.dollars), 0n);
        const half = 5n * 10n ** BigInt(scale - 10);
        expect((sum + half) / 10n ** BigInt(scale - 9)).toBe(costOf(units, price, multiplier));
      },
    ),
  );
});

const scale = 42;

function scaled(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(scale, "0"));
}
