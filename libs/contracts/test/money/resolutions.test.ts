import { expect, test } from "vitest";
import { compilePrice, costOf } from "../../src/money/price.ts";
import { compileResolutions, priceAt, allConfiguredPrices } from "../../src/money/resolutions.ts";

const configuredPrice = {
  second: 0.3,
  request: 0.05,
  resolutions: { "1080p": { second: 0.7, request: 0 }, "480p": { second: 0.1 }, "1024p": { second: 0.5 } },
};
const list = { price: compilePrice(configuredPrice), resolutions: compileResolutions(configuredPrice) };

test.each([
  [undefined, 350_000_000n],
  [360, 350_000_000n],
  [480, 150_000_000n],
  [1_023, 150_000_000n],
  [1_024, 550_000_000n],
  [1_080, 700_000_000n],
  [Number.POSITIVE_INFINITY, 700_000_000n],
])("a second of %s lines: %s", (lines, cost) => {
  expect(costOf({ seconds: 1, requests: 1 }, priceAt(list, lines), 1)).toBe(cost);
});

test("without resolutions there is one price", () => {
  const price = compilePrice({ second: 0.3 });
  expect(priceAt({ price }, 4_320)).toBe(price);
  expect(priceAt({ price, resolutions: compileResolutions({ second: 0.3 }) }, 4_320)).toBe(price);
});

test("each price is listed in full", () => {
  expect(allConfiguredPrices(configuredPrice)).toEqual([
    { second: 0.3, request: 0.05 },
    { second: 0.7, request: 0 },
    { second: 0.1, request: 0.05 },
    { second: 0.5, request: 0.05 },
  ]);
});
