import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, type SeriesKind } from "../soak/series.ts";
import { theilSen } from "../soak/theil-sen.ts";

/** Creates a generator of random numbers from a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns measurements with a slope and noise. `keeps` is the share of the previous noise in the next. */
function noisy(seed: number, { slope = 0, keeps = 0, count = 80 } = {}) {
  const random = randomNumbers(seed);
  let noise = 0;
  return Array.from({ length: count }, (_, x) => {
    noise = keeps * noise + random() + random() + random() - 1.5;
    return { x, y: 100 + slope * x + noise };
  });
}

const runs = 300;
const shareOf = (holds: (seed: number) => boolean): number =>
  Array.from({ length: runs }, (_, seed) => holds(seed)).filter(Boolean).length / runs;

describe("Theil-Sen", () => {
  test("gives the slope of a line exactly", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000, max: 1_000 }), fc.integer({ min: 10, max: 60 }), (slope, count) => {
        const points = Array.from({ length: count }, (_, x) => ({ x, y: slope * x + 7 }));
        expect(theilSen(points)).toEqual({ slope, low: slope, high: slope });
      }),
    );
  });

  test("is not affected by a few outliers", () => {
    const points = noisy(1, { slope: 2 }).map(({ x, y }) => ({ x, y: x % 10 === 3 ? y + 100_000 : y }));
    expect(theilSen(points)?.slope).toBeCloseTo(2, 1);
  });

  test("is unchanged for shifted data, and scales with scaled data", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 1, max: 100 }), (seed, factor) => {
        const points = noisy(seed, { slope: 0.1 });
        const plain = theilSen(points);
        const moved = theilSen(points.map(({ x, y }) => ({ x: x + 50, y: y * factor + 1_000 })));
        expect(moved?.slope).toBeCloseTo((plain?.slope ?? NaN) * factor, 6);
        expect(moved?.low).toBeCloseTo((plain?.low ?? NaN) * factor, 6);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    { noise: "independent", keeps: 0, maxShare: 0.03 },
    { noise: "readings that depend on the one before", keeps: 0.6, maxShare: 0.06 },
  ])("finds no growth in $noise without growth", ({ keeps, maxShare }) => {
    expect(shareOf((seed) => (theilSen(noisy(seed, { keeps }))?.low ?? 0) > 0)).toBeLessThanOrEqual(maxShare);
  });

  test("finds growth under noise", () => {
    expect(shareOf((seed) => (theilSen(noisy(seed, { slope: 0.05, keeps: 0.6 }))?.low ?? 0) > 0)).toBeGreaterThan(0.9);
  });

  test.each([
    ["too few measurements", noisy(1, { count: 9 })],
    ["readings at the same time", noisy(1).map(({ y }) => ({ x: 1, y }))],
  ])("returns nothing for %s", (_, points) => {
    expect(theilSen(points)).toBeUndefined();
  });
});

describe("a soak's series", () => {
  const kind: SeriesKind = { unit: "B", tolerance: 50 };
  const seriesOf = (y: (x: number) => number, its = kind) => ({
    name: "memory",
    kind: its,
    points: Array.from({ length: 400 }, (_, x) => ({ x: x * 10, y: y(x * 10) })),
  });

  test("is real if the complete interval is above the tolerance", () => {
    expect(judge(seriesOf((calls) => 1_000 + calls * 0.051)).isReal).toBe(true);
    expect(judge(seriesOf((calls) => 1_000 + calls * 0.049)).isReal).toBe(false);
  });

  test("is not real if it grows only at the beginning", () => {
    expect(judge(seriesOf((calls) => Math.min(1_000, calls))).isReal).toBe(false);
  });

  test("gives no verdict if it grows by design", () => {
    expect(judge(seriesOf((calls) => calls * 100, { unit: "B" })).isReal).toBe(false);
  });

  test("is not hidden by garbage collections", () => {
    expect(judge(seriesOf((calls) => calls + ((calls / 10) % 13) * 30)).isReal).toBe(true);
    expect(judge(seriesOf((calls) => 1_000 + ((calls / 10) % 13) * 30)).isReal).toBe(false);
  });
});
