import fc from "fast-check";
import { Counter, Histogram, register, Registry } from "prom-client";
import { beforeEach, expect, test } from "vitest";
import { SeriesCounter, SeriesHistogram } from "../src/series.ts";

const labelNames = ["model", "outcome"] as const;
const labels = fc.record({
  model: fc.constantFrom("a", "b\nc", '"d"'),
  outcome: fc.constantFrom("completed", "failed"),
});
const options = { name: "test_series", help: "of a test", labelNames };

// An earlier test file of this worker may have set default labels.
beforeEach(() => {
  register.setDefaultLabels({});
});

const forget = (): void => register.removeSingleMetric(options.name);

async function linesOf(registry: Registry): Promise<readonly string[]> {
  return (await registry.getSingleMetricAsString(options.name)).split("\n").toSorted();
}

test("a histogram of series has the same output as prom-client's", async () => {
  const buckets = [0.1, 1, 10];
  await fc.assert(
    fc
      .asyncProperty(fc.array(fc.tuple(labels, fc.integer({ min: 0, max: 200 }))), async (samples) => {
        const registry = new Registry();
        const reference = new Histogram({ ...options, buckets, registers: [registry] });
        const tested = new SeriesHistogram({ ...options, buckets });
        for (const [at, tenths] of samples) {
          reference.observe(at, tenths / 8);
          tested.series(at).observe(tenths / 8);
        }
        expect(await linesOf(register)).toEqual(await linesOf(registry));
      })
      .afterEach(forget),
  );
});

test("a counter of series has the same output as prom-client's, at every scrape", async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(fc.tuple(labels, fc.integer({ min: 0, max: 5 }))), async (samples) => {
        const registry = new Registry();
        const reference = new Counter({ ...options, registers: [registry] });
        const tested = new SeriesCounter(options);
        for (const [at, by] of samples) {
          reference.inc(at, by);
          tested.inc(at, by);
          expect(await linesOf(register)).toEqual(await linesOf(registry));
        }
      })
      .afterEach(forget),
  );
});
