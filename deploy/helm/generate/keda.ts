import { labelsOf } from "../../k8s/generate/deployment.ts";
import type { ServiceRow } from "../../k8s/generate/services.ts";
import type { Fields } from "../../k8s/render/value.ts";
import { inlineExpression } from "./template.ts";

/** Metric of open requests, streams and sessions. */
export const streamsMetric = "http_server_active_requests";

/** Queues of services: the metric of the length over all shards, and the target length per pod. */
const queues: Readonly<Record<string, { readonly metric: string; readonly perPod: number }>> = {
  // A tenth of the alert's threshold (monitoring/rules.yaml).
  ledger: { metric: "modelgate_outbox_events", perPod: 1_000 },
  // Each open task is polled every few seconds.
  video: { metric: "modelgate_tasks_open", perPod: 1_000 },
};

/** Returns whether pods of a service have streams of clients. */
export function hasStreams(row: ServiceRow): boolean {
  return "modelgate.io/holds-streams" in labelsOf(row);
}

/** Returns KEDA's ScaledObject of a service, which scales the service by CPU, streams and queue. */
export function scaledObjectOf(row: ServiceRow): Fields {
  const { name } = row;
  const queue = queues[name];
  const prometheus = (query: string, threshold: string): Fields => ({
    type: "prometheus",
    metadata: { serverAddress: inlineExpression(".Values.autoscaling.prometheus"), query, threshold },
  });
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name, labels: labelsOf(row) },
    spec: {
      scaleTargetRef: { name },
      minReplicaCount: inlineExpression("$service.replicas.min"),
      maxReplicaCount: inlineExpression("$service.replicas.max"),
      triggers: [
        {
          type: "cpu",
          metricType: "Utilization",
          metadata: { value: inlineExpression(".Values.autoscaling.cpuPercent | quote") },
        },
        ...(hasStreams(row)
          ? [
              prometheus(
                `sum(${streamsMetric}{service="${name}"})`,
                inlineExpression(".Values.autoscaling.streamsPerPod | quote"),
              ),
            ]
          : []),
        ...(queue === undefined ? [] : [prometheus(`max(${queue.metric}{service="${name}"})`, `${queue.perPod}`)]),
      ],
    },
  };
}
