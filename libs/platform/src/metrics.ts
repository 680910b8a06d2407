import type { ServerResponse } from "node:http";
import { createHistogram, performance } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, register, type Registry } from "prom-client";
import { SeriesHistogram } from "./series.ts";

export { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Interval that effectively disables prom-client's sampler of the event loop, which is replaced. */
const never = 2 ** 31 - 1;
const isLag = /^nodejs_eventloop_lag_/;

/**
 * Creates a process's metrics: those of the process (CPU, memory, event-loop delay) and those that modules declare next
 * to the code that they measure. A process has one registry. Labels have a limited number of values: endpoints, models,
 * providers and channels come from tables and the configuration, never from clients.
 */
export function createMetrics(service: string, worker?: number): Registry {
  register.setDefaultLabels(worker === undefined ? { service } : { service, worker: String(worker) });
  collectDefaultMetrics({ eventLoopMonitoringPrecision: never });
  for (const { name } of register.getMetricsAsArray()) if (isLag.test(name)) register.removeSingleMetric(name);
  measureLoopLag(register);
  return register;
}

/** Values that change with every call: plain numbers, copied to their gauges at each scrape. */
const counts = { activeRequests: 0, bufferBytes: 0 };

const activeRequests: Gauge = new Gauge({
  name: "http_server_active_requests",
  help: "Open requests and WebSockets.",
  collect: () => activeRequests.set(counts.activeRequests),
});

/** Counts a request or WebSocket that opens (1) or closes (-1). */
export function countActive(change: 1 | -1): void {
  counts.activeRequests += change;
}

const requestDuration = new SeriesHistogram({
  name: "http_server_request_duration_seconds",
  help: "Time from a request's headers to the end of its answer, including the stream.",
  labelNames: ["http_request_method", "http_route", "http_response_status_code"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

/** A request that has ended. */
export interface FinishedRequest {
  readonly method: string | undefined;
  /** Path of the endpoint in the table of endpoints; absent if there is no such endpoint. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

const methods = new Set(["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"]);

/** Status of a client that disconnected before its answer (nginx's 499), for logs and metrics only. */
const clientLeft = 499;

/** Returns the status that a closed response ended with. */
export function statusOf(response: ServerResponse): number {
  return response.headersSent ? response.statusCode : clientLeft;
}

/** Counts a request that has ended, under labels whose number clients cannot increase. */
export function observeRequest({ method = "", route, status, seconds }: FinishedRequest): void {
  const series = requestDuration.series({
    http_request_method: methods.has(method) ? method : "_OTHER",
    http_route: route ?? "none",
    http_response_status_code: status,
  });
  series.observe(seconds);
}

/** 1 if a store answered the last check of its connection, else 0. */
const storeUp = new Gauge({
  name: "modelgate_store_up",
  help: "1 if the store is connected.",
  labelNames: ["store"],
});

/** Sets whether a store answers. */
export function observeStore(store: "redis" | "content" | "nats" | "books", up: boolean): void {
  storeUp.set({ store }, up ? 1 : 0);
}

/** Kinds of leases: of holds, and of seats. */
type LeaseKind = "holds" | "seats";

/** Functions that return the current number of leases. */
const leaseCounts: Readonly<Record<LeaseKind, Set<() => number>>> = { holds: new Set(), seats: new Set() };

const leasesHeld: Gauge<"of"> = new Gauge({
  name: "modelgate_leases_held",
  help: "Leases that this process renews.",
  labelNames: ["of"],
  collect() {
    for (const [of, known] of Object.entries(leaseCounts))
      leasesHeld.set(
        { of },
        Array.from(known, (count) => count()).reduce((sum, one) => sum + one, 0),
      );
  },
});

/** Shows the number of leases of a kind that this process renews, until disposed. */
export function showLeases(of: LeaseKind, count: () => number): Disposable {
  leaseCounts[of].add(count);
  return { [Symbol.dispose]: () => void leaseCounts[of].delete(count) };
}

const bufferBytes: Gauge = new Gauge({
  name: "modelgate_buffer_bytes",
  help: "Bytes of bodies, answers and files on disk that count against the limits.",
  collect: () => bufferBytes.set(counts.bufferBytes),
});

/** Counts bytes that are taken from the process's limits for memory and disk, or released (negative). */
export function countBuffered(bytes: number): void {
  counts.bufferBytes += bytes;
}

/** Interval between two samples, in ms. */
const sampleMs = 50;

const shown = { p50: "median", p99: "99th percentile", max: "longest" } as const;

/**
 * Measures the delay of the event loop between scrapes. prom-client's sampler counts the pause between two samples as
 * delay, so its metrics of the same names are replaced.
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

/** Name of the metric that is collected last; collecting it starts a new measurement. */
const last = Object.keys(shown).at(-1);
