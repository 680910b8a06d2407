import { deploymentOf, labelsOf, ports, prefixOf, selectorOf } from "./deployment.ts";
import { networkPolicyOf } from "./network-policy.ts";
import { streamSeconds, type ServiceRow } from "./services.ts";

/** Addresses of the areas' services, by the variable that the edge reads. */
export function areaUrls(rows: readonly ServiceRow[]): Readonly<Record<string, string>> {
  return Object.fromEntries(areasOf(rows).map((name) => [`${prefixOf(name)}_URL`, `http://${name}:${ports.http}`]));
}

/** All objects of one service, in the order in which a reader wants them. */
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
      // At most one at a time: with a single replica a node can still be emptied.
      spec: { maxUnavailable: 1, selector: { matchLabels: selector }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    networkPolicyOf(row, calleesOf(row, rows)),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, labels }, automountServiceAccountToken: false },
  ];
}

function areasOf(rows: readonly ServiceRow[]): readonly string[] {
  return rows.filter(({ calledBy }) => calledBy === "edge").map(({ name }) => name);
}

/** The services that a service calls. */
function calleesOf({ name, calledBy }: ServiceRow, rows: readonly ServiceRow[]): readonly string[] {
  if (calledBy === "gateway") return areasOf(rows);
  return rows.filter((row) => row.calledBy === name).map((row) => row.name);
}

/** Share of the requested CPU that pods are kept at: the rest is for a peak until new pods are ready. */
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
        // A pod that goes lets its streams finish first: no more go at once than in the time of a long stream.
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
