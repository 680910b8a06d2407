import { deploymentOf, labelsOf, ports, prefixOf, selectorOf } from "./deployment.ts";
import { networkPolicyOf } from "./network-policy.ts";
import { streamSeconds, type ServiceRow } from "./services.ts";

/** Returns the addresses of the areas' services, by variables of the edge. */
export function areaUrls(rows: readonly ServiceRow[]): Readonly<Record<string, string>> {
  return Object.fromEntries(areasOf(rows).map((name) => [`${prefixOf(name)}_URL`, `http://${name}:${ports.http}`]));
}

export function objectsOf(row: ServiceRow, rows: readonly ServiceRow[]): readonly object[] {
  const { name } = row;
  const labels = labelsOf(row);
  const selector = selectorOf(name);
  return [
    deploymentOf(row, areaUrls(rows)),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, labels },
      spec: {
        selector,
        ports: [
          { name: "http", port: ports.http, targetPort: "http", appProtocol: "http" },
          { name: "ops", port: ports.ops, targetPort: "ops", appProtocol: "http" },
        ],
      },
    },
    autoscalerOf(row),
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, labels },
      // One pod at a time, so that a node can be drained even with a single replica.
      spec: { maxUnavailable: 1, selector: { matchLabels: selector }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    networkPolicyOf(row, calleesOf(row, rows)),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, labels }, automountServiceAccountToken: false },
  ];
}

function areasOf(rows: readonly ServiceRow[]): readonly string[] {
  return rows.filter(({ calledBy }) => calledBy === "edge").map(({ name }) => name);
}

function calleesOf({ name, calledBy }: ServiceRow, rows: readonly ServiceRow[]): readonly string[] {
  if (calledBy === "gateway") return areasOf(rows);
  return rows.filter((row) => row.calledBy === name).map((row) => row.name);
}

/** Target of the requested CPU. The remainder covers a peak until new pods are ready. */
const targetCpuPercent = 60;

function autoscalerOf(row: ServiceRow): object {
  const { name, replicas, drainSeconds } = row;
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, labels: labelsOf(row) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: replicas.min,
      maxReplicas: replicas.max,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: targetCpuPercent } },
        },
      ],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
        // A pod first finishes its streams, so pods are removed slowly.
        scaleDown: {
          stabilizationWindowSeconds: 300,
          policies: [
            { type: "Percent", value: 10, periodSeconds: Math.min(Math.max(60, drainSeconds), streamSeconds) },
          ],
        },
      },
    },
  };
}
