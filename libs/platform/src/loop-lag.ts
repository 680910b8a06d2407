import { createHistogram, performance } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** Pause between two samples, ms. */
const sampleMs = 50;

const shown = { p50: "median", p99: "99th percentile", max: "longest" } as const;

/**
 * Measures how late the event loop is, from one scrape to the next. prom-client's own sampler counts the pause between two
 * samples as lag; its metrics of the same names are replaced.
 */
export function measureLoopLag(register: Registry): void {
  const seen = createHistogram();
  const sample = (due: number): void => {
    seen.record(Math.max(1, Math.round((performance.now() - due) * 1e6)));
    sampleNext();
  };
  const sampleNext = (): void => void setTimeout(sample, sampleMs, performance.now() + sampleMs).unref();
  sampleNext();
  for (const [name, help] of Object.entries(shown)) {
    const gauge: Gauge = new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `Delay of the event loop since the last scrape, ${help}.`,
      registers: [],
      collect() {
        const nanoseconds = name === "max" ? seen.max : seen.percentile(name === "p50" ? 50 : 99);
        gauge.set(seen.count === 0 ? 0 : nanoseconds / 1e9);
        if (name === last) seen.reset();
      },
    });
    register.registerMetric(gauge);
  }
}

/** The one that is collected last: with it a new measurement begins. */
const last = Object.keys(shown).at(-1);
