import { labelsOf } from "../../k8s/generate/deployment.ts";
import type { ServiceRow } from "../../k8s/generate/services.ts";
import type { Fields } from "../../k8s/render/value.ts";
import { inline } from "./template.ts";

/** The metric of a pod's open requests, streams and sessions. */
export const streamsMetric = "http_server_active_requests";

/** Queues that a service works off: their metric, which every replica serves for all shards, and how much is one pod's. */
const queues: Readonly<Record<string, { readonly metric: string; readonly perPod: number }>> = {
  // A tenth of what alerts (monitoring/rules.yaml).
  ledger: { metric: "modelgate_outbox_events", perPod: 1_000 },
  // Each open task is looked at every few seconds.
  video: { metric: "modelgate_tasks_open", perPod: 1_000 },
};

/** Whether clients' requests and streams are open in a service's pods. */
export function holdsStreams(row: ServiceRow): boolean {
  return "modelgate.io/holds-streams" in labelsOf(row);
}

/** KEDA's scaler of a service: by CPU as the autoscaler of the manifests, by open streams, and by its queue. */
export function scaledObjectOf(row: ServiceRow): Fields {
  const { name } = row;
  const queue = queues[name];
  const prometheus = (query: string, threshold: string): Fields => ({
    type: "prometheus",
    metadata: { serverAddress: inline(".Values.autoscaling.prometheus"), query, threshold },
  });
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name, labels: labelsOf(row) },
    spec: {
      scaleTargetRef: { name },
      minReplicaCount: inline("$service.replicas.min"),
      maxReplicaCount: inline("$service.replicas.max"),
      triggers: [
        {
          type: "cpu",
          metricType: "Utilization",
          metadata: { value: inline(".Values.autoscaling.cpuPercent | quote") },
        },
        ...(holdsStreams(row)
          ? [
              prometheus(
                `sum(${streamsMetric}{service="${name}"})`,
                inline(".Values.autoscaling.streamsPerPod | quote"),
              ),
            ]
          : []),
        ...(queue === undefined ? [] : [prometheus(`max(${queue.metric}{service="${name}"})`, `${queue.perPod}`)]),
      ],
    },
  };
}
