import fc from "fast-check";
import { Counter, Histogram, register, Registry } from "prom-client";
import { beforeEach, expect, test } from "vitest";
import { SeriesCounter, SeriesHistogram } from "../src/series.ts";

const labelNames = ["model", "outcome"] as const;
const labels = fc.record({
  model: fc.constantFrom("a", "b\nc", '"d"'),
  outcome: fc.constantFrom("completed", "failed"),
});
const what = { name: "test_series", help: "of a test", labelNames };

// A file before this one, in the same worker, may have named its service on every line.
beforeEach(() => {
  register.setDefaultLabels({});
});

const forget = (): void => register.removeSingleMetric(what.name);

/** The lines of a registry, in any order. */
async function linesOf(registry: Registry): Promise<readonly string[]> {
  return (await registry.getSingleMetricAsString(what.name)).split("\n").toSorted();
}

test("a histogram of series has the same output as prom-client's", async () => {
  const buckets = [0.1, 1, 10];
  await fc.assert(
    fc
      .asyncProperty(fc.array(fc.tuple(labels, fc.integer({ min: 0, max: 200 }))), async (seen) => {
        const registry = new Registry();
        const known = new Histogram({ ...what, buckets, registers: [registry] });
        const ours = new SeriesHistogram({ ...what, buckets });
        for (const [at, tenths] of seen) {
          known.observe(at, tenths / 8);
          ours.series(at).observe(tenths / 8);
        }
        expect(await linesOf(register)).toEqual(await linesOf(registry));
      })
      .afterEach(forget),
  );
});

test("a counter of series has the same output as prom-client's, at every scrape", async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(fc.tuple(labels, fc.integer({ min: 0, max: 5 }))), async (seen) => {
        const registry = new Registry();
        const known = new Counter({ ...what, registers: [registry] });
        const ours = new SeriesCounter(what);
        for (const [at, by] of seen) {
          known.inc(at, by);
          ours.inc(at, by);
          expect(await linesOf(register)).toEqual(await linesOf(registry));
        }
      })
      .afterEach(forget),
  );
});
