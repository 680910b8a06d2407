import type { ServerResponse } from "node:http";
import { createHistogram, performance } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, register, type Registry } from "prom-client";
import { msUntilSharedTick } from "./shared-tick.ts";
import { SeriesHistogram } from "./series.ts";

export { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Longest possible interval. With it, prom-client hardly samples the event loop; `measureLoopLag` measures instead. */
const longestIntervalMs = 2 ** 31 - 1;
const lagMetricName = /^nodejs_eventloop_lag_/;

/** Sets up the metrics of a process. Labels never have values from clients, so that their number is limited. */
export function createMetrics(service: string, worker?: number): Registry {
  register.setDefaultLabels(worker === undefined ? { service } : { service, worker: String(worker) });
  collectDefaultMetrics({ eventLoopMonitoringPrecision: longestIntervalMs });
  for (const { name } of register.getMetricsAsArray()) if (lagMetricName.test(name)) register.removeSingleMetric(name);
  measureLoopLag(register);
  return register;
}

/** Values that change with every call. They are copied to their gauges at each scrape. */
const currentValues = { activeRequests: 0, bufferBytes: 0 };

const activeRequests: Gauge = new Gauge({
  name: "http_server_active_requests",
  help: "Open requests and WebSockets.",
  collect: () => activeRequests.set(currentValues.activeRequests),
});

/** Records that a request or WebSocket opens (1) or closes (-1). */
export function countActive(change: 1 | -1): void {
  currentValues.activeRequests += change;
}

const requestDuration = new SeriesHistogram({
  name: "http_server_request_duration_seconds",
  help: "Time from a request's headers to the end of its answer, including the stream.",
  labelNames: ["http_request_method", "http_route", "http_response_status_code"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

export interface FinishedRequest {
  readonly method: string | undefined;
  /** Path from the table of endpoints; undefined if none matches. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

const knownMethods = new Set(["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"]);

/** Status for a client that disconnected before its answer (nginx's 499). Clients never see it. */
const clientClosedRequest = 499;

/** Returns the status of a closed response; 499 if the client disconnected before the head was sent. */
export function statusOf(response: ServerResponse): number {
  return response.headersSent ? response.statusCode : clientClosedRequest;
}

/** Adds a request that has ended to the metrics. */
export function observeRequest({ method = "", route, status, seconds }: FinishedRequest): void {
  const series = requestDuration.series({
    http_request_method: knownMethods.has(method) ? method : "_OTHER",
    http_route: route ?? "none",
    http_response_status_code: status,
  });
  series.observe(seconds);
}

const storeUp = new Gauge({
  name: "modelgate_store_up",
  help: "1 if the store is connected.",
  labelNames: ["store"],
});

/** Sets whether a store is connected. */
export function observeStore(store: "redis" | "content" | "nats" | "books", up: boolean): void {
  storeUp.set({ store }, up ? 1 : 0);
}

/** Leases on reserved money (holds), and on places in a channel's concurrency limit (seats). */
type LeaseKind = "holds" | "seats";

const leaseCounts: Readonly<Record<LeaseKind, Set<() => number>>> = { holds: new Set(), seats: new Set() };

const leasesHeld: Gauge<"kind"> = new Gauge({
  name: "modelgate_leases_held",
  help: "Leases that this process renews.",
  labelNames: ["kind"],
  collect() {
    for (const [kind, counters] of Object.entries(leaseCounts))
      leasesHeld.set(
        { kind },
        Array.from(counters, (count) => count()).reduce((sum, count) => sum + count, 0),
      );
  },
});

/** Includes the result of `count` in the metric of leases, until the result is disposed. */
export function registerLeaseCount(kind: LeaseKind, count: () => number): Disposable {
  leaseCounts[kind].add(count);
  return { [Symbol.dispose]: () => void leaseCounts[kind].delete(count) };
}

const bufferBytes: Gauge = new Gauge({
  name: "modelgate_buffer_bytes",
  help: "Bytes of bodies, answers and files on disk that count against the limits.",
  collect: () => bufferBytes.set(currentValues.bufferBytes),
});

/** Records bytes of memory or disk that are used, or released (negative). */
export function countBuffered(bytes: number): void {
  currentValues.bufferBytes += bytes;
}

/** Interval in ms between two samples of a busy process and of an idle one. Each sample wakes an idle process. */
const [sampleMs, idleSampleMs] = [50, 1_000];
/** A process is idle if its event loop is busy for at most this share of the time. */
const maxIdleUtilization = 0.05;

const lagStatistics = { p50: "median", p99: "99th percentile", max: "longest" } as const;

/**
 * Measures the event loop's delay since the last scrape. prom-client's metrics of the same names are replaced, because
 * they include the interval between two samples.
 */
export function measureLoopLag(register: Registry): void {
  const delays = createHistogram();
  let before = performance.eventLoopUtilization();
  const wait = (ms: number): void => void setTimeout(sample, ms, ms, performance.now() + ms).unref();
  const sample = (waitedMs: number, due: number): void => {
    delays.record(Math.max(1, Math.round((performance.now() - due) * 1e6)));
    // The samples that an idle process omitted are added as undelayed, so that each sample has the same weight.
    for (let ms = sampleMs; ms < waitedMs; ms += sampleMs) delays.record(1);
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    wait(utilization <= maxIdleUtilization ? msUntilSharedTick(idleSampleMs) : sampleMs);
  };
  wait(sampleMs);
  for (const [name, help] of Object.entries(lagStatistics)) {
    const gauge: Gauge = new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `Delay of the event loop since the last scrape, ${help}.`,
      registers: [],
      collect() {
        const nanoseconds = name === "max" ? delays.max : delays.percentile(name === "p50" ? 50 : 99);
        gauge.set(delays.count === 0 ? 0 : nanoseconds / 1e9);
        if (name === lastStatistic) delays.reset();
      },
    });
    register.registerMetric(gauge);
  }
}

/** Statistic that is collected last. Collecting it resets the measurement. */
const lastStatistic = Object.keys(lagStatistics).at(-1);
