import { imageOf, optionalSecrets, type ServiceRow } from "./services.ts";

/** The two ports of every container. */
export const ports = { http: 8_080, ops: 9_090 } as const;
/** Longest time until every load balancer has heard that a pod is going; only then may it stop listening. */
export const preStopSeconds = 10;
/** Between the end of the drain and the kubelet's SIGKILL: settlements, events, logs. */
export const endSeconds = 10;
/** A pod that has lost Redis for so long is sent no more requests. */
const storeAwaySeconds = 30;

/** The labels that select a service's pods. */
export function selectorOf(name: string) {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "modelgate" };
}

/** The labels of a service's objects: those that select its pods, and what components choose by. */
export function labelsOf({ name, secrets, callsVendors, calledBy }: ServiceRow): Readonly<Record<string, string>> {
  return {
    ...selectorOf(name),
    ...(secrets.includes("NATS_URL") ? { "modelgate.io/publishes": "true" } : {}),
    ...(callsVendors ? { "modelgate.io/calls-vendors": "true" } : {}),
    ...(calledBy === "gateway" || calledBy === "edge" ? { "modelgate.io/holds-streams": "true" } : {}),
  };
}

/** A name as it stands before `_PORT`. */
export function prefixOf(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** The Deployment of a service; the HorizontalPodAutoscaler says how many. `urls` are the other services' addresses. */
export function deploymentOf(row: ServiceRow, urls: Readonly<Record<string, string>>): object {
  const { name, drainSeconds } = row;
  const labels = selectorOf(name);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: labelsOf(row) },
    spec: {
      selector: { matchLabels: labels },
      revisionHistoryLimit: 5,
      // A new pod is there before an old one goes: capacity never sinks during an upgrade.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: preStopSeconds + drainSeconds + endSeconds,
          topologySpreadConstraints: spread(labels),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1_000,
            runAsGroup: 1_000,
            fsGroup: 1_000,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [containerOf(row, urls)],
          volumes: [
            { name: "tmp", emptyDir: { sizeLimit: `${row.diskMebibytes ?? 64}Mi` } },
            ...(row.readsConfiguration ? [{ name: "config", configMap: { name: "modelgate-config" } }] : []),
          ],
        },
      },
    },
  };
}

function containerOf(row: ServiceRow, urls: Readonly<Record<string, string>>): object {
  const { resources } = row;
  const probe = (path: string) => ({ httpGet: { path, port: "ops" } });
  return {
    name: row.name,
    image: imageOf(row),
    ports: [
      { name: "http", containerPort: ports.http },
      { name: "ops", containerPort: ports.ops },
    ],
    env: variablesOf(row, urls),
    ...(row.readsConfiguration ? { envFrom: [{ secretRef: { name: "modelgate-vendor-keys", optional: true } }] } : {}),
    volumeMounts: [
      { name: "tmp", mountPath: "/tmp" },
      // The whole folder: a file of its own (subPath) would never change.
      ...(row.readsConfiguration ? [{ name: "config", mountPath: "/config", readOnly: true }] : []),
    ],
    startupProbe: { ...probe("/healthz"), periodSeconds: 1, failureThreshold: row.startSeconds ?? 60 },
    livenessProbe: { ...probe("/healthz"), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    // What it finds is a store that is away (a pod that ends is taken out without it). Longer than a failover of Redis:
    // meanwhile callers get 503 in their own format, where a Service without pods would refuse the connection.
    readinessProbe: {
      ...probe("/readyz"),
      periodSeconds: 3,
      timeoutSeconds: 2,
      failureThreshold: storeAwaySeconds / 3,
    },
    lifecycle: { preStop: { exec: { command: ["sleep", String(preStopSeconds)] } } },
    // No limit of CPU: a throttled event loop delays every stream of the pod.
    resources: {
      requests: { cpu: resources.cpu, memory: resources.memory },
      limits: { memory: resources.memoryLimit },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

function variablesOf(row: ServiceRow, urls: Readonly<Record<string, string>>): readonly object[] {
  const plain = {
    [row.portVariable]: String(ports.http),
    [row.opsPortVariable ?? `${prefixOf(row.name)}_OPS_PORT`]: String(ports.ops),
    DRAIN_MS: String(row.drainSeconds * 1_000),
    ...row.env,
    ...(row.calledBy === "gateway" ? urls : {}),
  };
  const secrets = [...row.secrets, ...(row.secrets.includes("MODELGATE_SECRET") ? ["MODELGATE_SECRET_BEFORE"] : [])];
  return [
    ...Object.entries(plain).map(([name, value]) => ({ name, value })),
    ...secrets.map((key) => ({
      name: key,
      valueFrom: {
        secretKeyRef: { name: "modelgate", key, ...(optionalSecrets.has(key) ? { optional: true } : {}) },
      },
    })),
  ];
}

/** Pods of a service stand in different zones and, where there is room, on different nodes. */
function spread(labels: Readonly<Record<string, string>>): readonly object[] {
  return ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
    // Old pods of an upgrade do not count.
    matchLabelKeys: ["pod-template-hash"],
  }));
}
