import { imageOf, optionalSecrets, type ServiceRow } from "./services.ts";

/** Ports of every container. */
export const ports = { http: 8_080, ops: 9_090 } as const;
/** Seconds until every load balancer knows that a pod ends. Until then, the pod listens. */
export const preStopSeconds = 10;
/** Seconds between the drain and SIGKILL, for settlements, events and logs. */
export const endSeconds = 10;
/** Seconds without Redis after which a pod gets no more requests. */
const storeAwaySeconds = 30;

/** Returns the labels that select a service's pods. */
export function selectorOf(name: string) {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "modelgate" };
}

/** Returns the labels of a service's objects, also those by which components select services. */
export function labelsOf({ name, secrets, callsVendors, calledBy }: ServiceRow): Readonly<Record<string, string>> {
  return {
    ...selectorOf(name),
    ...(secrets.includes("NATS_URL") ? { "modelgate.io/publishes": "true" } : {}),
    ...(callsVendors ? { "modelgate.io/calls-vendors": "true" } : {}),
    ...(calledBy === "gateway" || calledBy === "edge" ? { "modelgate.io/holds-streams": "true" } : {}),
  };
}

/** Returns the prefix of a service's variables, as in `<PREFIX>_PORT`. */
export function prefixOf(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** Returns the Deployment of a service. `urls` are the addresses of the areas' services. */
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
      // A new pod is ready before an old one ends.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: preStopSeconds + drainSeconds + endSeconds,
          topologySpreadConstraints: spreadConstraints(labels),
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
      // The complete folder, because a single file (subPath) would not be updated.
      ...(row.readsConfiguration ? [{ name: "config", mountPath: "/config", readOnly: true }] : []),
    ],
    startupProbe: { ...probe("/healthz"), periodSeconds: 1, failureThreshold: row.startSeconds ?? 60 },
    livenessProbe: { ...probe("/healthz"), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    // A pod becomes unready only after a longer time than a failover of Redis. Meanwhile, callers get 503 in their API
    // format. A Service without ready pods would refuse connections.
    readinessProbe: {
      ...probe("/readyz"),
      periodSeconds: 3,
      timeoutSeconds: 2,
      failureThreshold: storeAwaySeconds / 3,
    },
    lifecycle: { preStop: { exec: { command: ["sleep", String(preStopSeconds)] } } },
    // No CPU limit, because a throttled event loop delays every stream of the pod.
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

/** Spreads the pods of a service over zones and nodes, if possible. */
function spreadConstraints(labels: Readonly<Record<string, string>>): readonly object[] {
  return ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
    // Ignores the old pods of an upgrade.
    matchLabelKeys: ["pod-template-hash"],
  }));
}
