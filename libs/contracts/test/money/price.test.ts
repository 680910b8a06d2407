import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputTokenUnits, totalInputTokens, unitNames, type Units } from "../../src/units.ts";
import {
  compilePrice,
  costOf,
  maxCostOf,
  priceFields,
  toolPriceFields,
  unpricedUnits,
  type ConfiguredPrice,
} from "../../src/money/price.ts";

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const units: fc.Arbitrary<Units> = fc.record(
  { inputTokens: amount, cachedInputTokens: amount, outputTokens: amount, images: amount, requests: amount },
  { requiredKeys: [] },
);
const dollars = fc.integer({ min: 0, max: 10 ** 12 }).map((n) => n / 10 ** 6);
const price: fc.Arbitrary<ConfiguredPrice> = fc.record({
  input: dollars,
  cachedInput: dollars,
  output: dollars,
  image: dollars,
  request: dollars,
});
const multiplier = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 1e6, 1e-9),
  fc.integer({ min: 0, max: 10 ** 9 }).map((n) => n / 1000),
);

describe("costOf", () => {
  test.each<[string, Units, ConfiguredPrice, number, bigint]>([
    [
      "input and output prices per million",
      { inputTokens: 1_000, outputTokens: 10 },
      { input: 2.5, output: 10 },
      1,
      2_600_000n,
    ],
    ["a price per request", { requests: 1 }, { request: 0.001 }, 1, 1_000_000n],
    ["a multiplier", { requests: 1 }, { request: 0.001 }, 1.5, 1_500_000n],
    ["half a nano rounds up", { inputTokens: 1 }, { input: 0.0005 }, 1, 1n],
    ["less than half rounds down", { inputTokens: 1 }, { input: 0.0004 }, 1, 0n],
    [
      "rounding happens once, at the end",
      { inputTokens: 1, outputTokens: 1 },
      { input: 0.0004, output: 0.0004 },
      1,
      1n,
    ],
    ["seconds with fractions", { seconds: 3.84 }, { second: 0.1 }, 1, 384_000_000n],
    ["characters", { characters: 100 }, { character: 0.000015 }, 1, 1_500_000n],
    [
      "2^53 tokens at a million times the price",
      { inputTokens: 2 ** 53 },
      { input: 2.5 },
      1e6,
      22_517_998_136_852_480_000_000_000n,
    ],
    ["units without a price cost nothing", { images: 3 }, { input: 2.5 }, 1, 0n],
    [
      "image tokens with their own prices",
      { inputTokens: 10, inputImageTokens: 100, outputTokens: 20, outputImageTokens: 1_000 },
      { input: 5, inputImage: 10, output: 12, outputImage: 120 },
      1,
      50_000n + 1_000_000n + 240_000n + 120_000_000n,
    ],
    [
      "image tokens without their own price cost the usual price",
      { inputImageTokens: 100, outputImageTokens: 1_000 },
      { input: 5, output: 12 },
      1,
      500_000n + 12_000_000n,
    ],
    ["free image tokens", { outputImageTokens: 1_000 }, { output: 12, outputImage: 0 }, 1, 0n],
    ["reasoning is part of output", { outputTokens: 10, reasoningTokens: 8 }, { output: 10 }, 1, 100_000n],
  ])("%s", (_, used, written, times, cost) => {
    expect(costOf(used, compilePrice(written), times)).toBe(cost);
  });

  test("is never negative and always an integer", () => {
    fc.assert(
      fc.property(units, price, multiplier, (used, written, times) => {
        const cost = costOf(used, compilePrice(written), times);
        expect(typeof cost).toBe("bigint");
        expect(cost >= 0n).toBe(true);
      }),
    );
  });

  test("grows with every unit and with the multiplier", () => {
    fc.assert(
      fc.property(units, units, price, multiplier, multiplier, (used, more, written, times, factor) => {
        const compiled = compilePrice(written);
        const [low, high] = [Math.min(times, factor), Math.max(times, factor)];
        const larger: Units = { ...used };
        for (const name of ["inputTokens", "outputTokens", "images"] as const) {
          larger[name] = Math.max(used[name] ?? 0, more[name] ?? 0);
        }
        expect(costOf(larger, compiled, low) >= costOf(used, compiled, low)).toBe(true);
        expect(costOf(used, compiled, high) >= costOf(used, compiled, low)).toBe(true);
      }),
    );
  });

  test("differs from the sum of its parts only by rounding", () => {
    fc.assert(
      fc.property(amount, amount, price, (input, output, written) => {
        const compiled = compilePrice(written);
        const parts = costOf({ inputTokens: input }, compiled, 1) + costOf({ outputTokens: output }, compiled, 1);
        const exact = costOf({ inputTokens: input, outputTokens: output }, compiled, 1);
        expect(exact - parts >= -1n && exact - parts <= 1n).toBe(true);
      }),
    );
  });

  test.each([Number.NaN, Infinity, -1])("refuses %s units", (bad) => {
    expect(() => costOf({ seconds: bad }, compilePrice({ second: 1 }), 1)).toThrow(RangeError);
  });
});

test("a used unit without a price is named", () => {
  const used: Units = { inputTokens: 5, images: 1, outputAudioTokens: 0, reasoningTokens: 2, requests: 1 };
  expect(unpricedUnits(used, compilePrice({ input: 1 }))).toEqual(["images"]);
  expect(unpricedUnits(used, compilePrice({ input: 1, request: 1 }))).toEqual(["images"]);
  expect(unpricedUnits(used, compilePrice({ request: 0 }))).toEqual([]);
});

test.each(Object.entries(priceFields))(
  "a price of one dollar for %s applies to the documented number of units",
  (field, { unit, per }) => {
    expect(costOf({ [unit]: per }, compilePrice({ [field]: 1 }), 1)).toBe(1_000_000_000n);
  },
);

test("a price finer than 10^-18 dollars per token is refused, not rounded", () => {
  expect(() => compilePrice({ input: 0.0000000000001 })).toThrow(RangeError);
});

test.each(Object.entries(toolPriceFields))("a price of one dollar for %s applies to one call", (field, unit) => {
  expect(costOf({ [unit]: 1 }, compilePrice({ tools: { [field]: 1 } }), 1)).toBe(1_000_000_000n);
});

test.each<[keyof Units, ConfiguredPrice, bigint]>([
  ["inputAudioTokens", { input: 2, output: 8 }, 2_000n],
  ["outputAudioTokens", { input: 2, output: 8 }, 8_000n],
  ["cachedInputTokens", { input: 2 }, 2_000n],
  ["cacheWriteTokens", { input: 2 }, 2_000n],
  ["cacheWrite1hTokens", { input: 2 }, 2_000n],
  ["cacheWrite1hTokens", { input: 2, cacheWrite: 3 }, 3_000n],
  ["cacheWrite1hTokens", { input: 2, cacheWrite: 3, cacheWrite1h: 5 }, 5_000n],
  ["cachedInputTokens", { input: 2, cachedInput: 0 }, 0n],
  ["inputAudioTokens", { output: 8 }, 0n],
])("%s without a price cost the most similar price in %j", (unit, written, cost) => {
  expect(costOf({ [unit]: 1 }, compilePrice(written), 1)).toBe(cost);
});

const longPrice: ConfiguredPrice = {
  input: 1,
  output: 10,
  request: 0.001,
  tiers: [
    { above: 1_000, input: 3, output: 30 },
    { above: 100, input: 2 },
  ],
  serviceTiers: { flex: 0.5, priority: 2 },
  tools: { webSearch: 0.01 },
};

test.each<[Units, bigint]>([
  [{ inputTokens: 100 }, 100_000n],
  [{ inputTokens: 101 }, 202_000n],
  [{ inputTokens: 60, cachedInputTokens: 40 }, 100_000n],
  [{ inputTokens: 60, cacheWrite1hTokens: 41, outputTokens: 1 }, 202_000n + 10_000n],
  [{ inputTokens: 1_001, outputTokens: 1, requests: 1 }, 3_003_000n + 30_000n + 1_000_000n],
])("a complete call is priced by the length of its input: %j", (units, cost) => {
  expect(costOf(units, compilePrice(longPrice), 1)).toBe(cost);
});

test.each([
  ["flex", 0.5],
  ["priority", 2],
])("the service tier %s costs %s times as much, tools the usual price", (name, factor) => {
  const price = compilePrice(longPrice);
  const tier = price.serviceTiers.get(name);
  if (tier === undefined) throw new Error("no such tier");
  for (const units of [{ inputTokens: 100 }, { inputTokens: 5_000, outputTokens: 7 }])
    expect(costOf({ ...units, webSearches: 3 }, tier, 1)).toBe(
      BigInt(Number(costOf(units, price, 1)) * factor) + 30_000_000n,
    );
});

test("a factor and a multiplier are rounded together, once", () => {
  const price = compilePrice({ input: 0.001, serviceTiers: { third: 0.333333333 } }).serviceTiers.get("third");
  expect(price && costOf({ inputTokens: 3 }, price, 0.5)).toBe(0n);
  expect(price && costOf({ inputTokens: 3 }, price, 0.500000001)).toBe(1n);
});

describe("every price", () => {
  const tokens = fc.nat({ max: 3_000 });
  const anyUnits: fc.Arbitrary<Units> = fc.record(Object.fromEntries(unitNames.map((name) => [name, tokens])), {
    requiredKeys: [],
  });
  const tokenPrices = fc.record(
    { input: dollars, cachedInput: dollars, cacheWrite: dollars, cacheWrite1h: dollars, output: dollars },
    { requiredKeys: [] },
  );
  const anyPrice: fc.Arbitrary<ConfiguredPrice> = fc
    .record({
      usual: tokenPrices,
      tiers: fc.uniqueArray(
        fc.tuple(fc.integer({ min: 1, max: 6_000 }), tokenPrices).map(([above, other]) => ({ above, ...other })),
        { selector: ({ above }) => above, maxLength: 3 },
      ),
      serviceTiers: fc.dictionary(
        fc.constantFrom("flex", "priority"),
        fc.nat({ max: 5_000 }).map((n) => n / 1_000),
      ),
      tools: fc.record({ webSearch: dollars, fileSearch: dollars }, { requiredKeys: [] }),
    })
    .map(({ usual, ...more }) => ({ ...usual, ...more }));

  test("is additive: units cost the same separately and together, at the price of the input's length", () => {
    fc.assert(
      fc.property(anyUnits, anyPrice, (units, written) => {
        const price = compilePrice(written);
        const flat = price.lengths.findLast(({ above }) => totalInputTokens(units) > above)?.price ?? price;
        const apart = unitNames.reduce(
          (sum, name) => sum + costOf({ [name]: units[name] ?? 0 }, compilePriceOf(flat), 1),
          0n,
        );
        const difference = costOf(units, price, 1) - apart;
        expect(difference <= BigInt(unitNames.length) && difference >= -BigInt(unitNames.length)).toBe(true);
      }),
    );
  });

  test("is at least the cost of any shorter call, at each service tier", () => {
    fc.assert(
      fc.property(anyUnits, anyPrice, multiplier, fc.nat({ max: 100 }), (units, written, times, share) => {
        const price = compilePrice(written);
        const used: Units = {};
        for (const name of unitNames) used[name] = Math.floor(((units[name] ?? 0) * share) / 100);
        for (const each of [price, ...price.serviceTiers.values()])
          expect(maxCostOf(units, each, times) >= costOf(used, each, times)).toBe(true);
      }),
    );
  });

  test("grows with the input as long as longer calls are not cheaper", () => {
    fc.assert(
      fc.property(anyUnits, fc.constantFrom(...inputTokenUnits), tokens, (units, name, more) => {
        const price = compilePrice(longPrice);
        const larger = { ...units, [name]: (units[name] ?? 0) + more };
        expect(costOf(larger, price, 1) >= costOf(units, price, 1)).toBe(true);
      }),
    );
  });

  function compilePriceOf(price: ReturnType<typeof compilePrice>): ReturnType<typeof compilePrice> {
    const { factor, isByRequest } = price;
    return Object.assign(new Map(price), { lengths: [], serviceTiers: new Map(), factor, isByRequest });
  }
});

test("a price per request includes tokens, and no tool", () => {
  const used: Units = { inputTokens: 5, webSearches: 1, requests: 1 };
  expect(unpricedUnits(used, compilePrice({ request: 1 }))).toEqual(["webSearches"]);
  expect(unpricedUnits(used, compilePrice({ request: 1, tools: { webSearch: 0 } }))).toEqual([]);
});
