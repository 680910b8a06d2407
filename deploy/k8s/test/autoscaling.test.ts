import { beforeAll, describe, expect, test } from "vitest";
import { join } from "node:path";
import { knownMetrics } from "../../monitoring/test/known-metrics.ts";
import { nameOf, renderFolder } from "../render/kustomize.ts";
import { textOf } from "../render/value.ts";
import { at, deployedIn, itemsAt, overlay, overlays } from "./suite.ts";

let served: Awaited<ReturnType<typeof knownMetrics>>;
beforeAll(async () => {
  served = await knownMetrics();
});

const metricsOf = (objects: ReturnType<typeof overlay>) =>
  objects
    .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
    .flatMap((scaler) => itemsAt(scaler, "spec", "metrics").map((metric) => [nameOf(scaler), metric] as const));

describe.each(overlays)("%s", (name) => {
  // metrics-server has only CPU. With a missing metric, an autoscaler never scales down.
  test("autoscalers name only CPU, and every container requests some", () => {
    const metrics = metricsOf(overlay(name));
    expect(metrics).toHaveLength(deployedIn(overlay(name)).length);
    for (const [service, metric] of metrics)
      expect([service, metric["type"], at(metric, "resource", "name")]).toEqual([service, "Resource", "cpu"]);
    for (const { name: service, container } of deployedIn(overlay(name)))
      expect(at(container, "resources", "requests", "cpu"), service).toBeDefined();
  });
});

test("the component stream-scaling adds a metric that every service exports", () => {
  const metrics = metricsOf(renderFolder(join(import.meta.dirname, "../../helm/test/ingress")));
  const names = metrics.flatMap(([, metric]) => at(metric, "pods", "metric", "name") ?? []);
  expect(names).toHaveLength(6);
  for (const metric of names) expect([...served.keys()]).toContain(textOf(metric));
});
