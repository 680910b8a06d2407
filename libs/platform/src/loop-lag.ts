import { createHistogram, performance } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";
import { untilBeat } from "./beat.ts";
import { watchRest } from "./loop-rest.ts";

/** Pauses between two samples, in ms: while the process works, and at rest, where each sample would wake it for nothing. */
const [busyMs, restMs] = [20, 1_000];

const shown = { p50: "median", p99: "99th percentile", max: "longest" } as const;

/**
 * Measures how late the event loop is, from one scrape to the next. prom-client's own sampler wakes the process every 10 ms
 * for as long as it lives, which was half of what an idle suite cost; its metrics of the same names are replaced.
 */
export function measureLoopLag(register: Registry): void {
  const seen = createHistogram();
  let pauseMs = busyMs;
  const rests = watchRest();
  const sample = (due: number): void => {
    seen.record(Math.max(1, Math.round((performance.now() - due) * 1e6)));
    pauseMs = rests() ? Math.min(restMs, pauseMs * 2) : busyMs;
    sampleNext();
  };
  const sampleNext = (): void => {
    const pause = pauseMs === restMs ? untilBeat(restMs) : pauseMs;
    setTimeout(sample, pause, performance.now() + pause).unref();
  };
  sampleNext();
  for (const [name, help] of Object.entries(shown)) {
    const gauge: Gauge = new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `how late the event loop was since the last scrape, ${help}`,
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
