import { collectDefaultMetrics, Registry } from "prom-client";

export { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** A registry of one service's metrics: the process's own (CPU, memory, event-loop delay) and what the service adds. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}
