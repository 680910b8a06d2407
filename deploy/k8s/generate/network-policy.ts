import { labelsOf, ports, selectorOf } from "./deployment.ts";
import type { ServiceRow } from "./services.ts";

/** Ports that Redis (also with TLS and as Sentinel), NATS and an OpenTelemetry collector are reached at. */
const stores = { redis: [6_379, 6_380, 26_379], nats: [4_222], tracing: [4_318] } as const;
/** Where clouds keep the credentials of their machines: never a vendor. */
const machineMetadata = ["169.254.0.0/16"];

const tcp = (port: number) => ({ protocol: "TCP", port });
const pods = (name: string) => ({ podSelector: { matchLabels: selectorOf(name) } });

/**
 * Who may talk to a service, and to whom it may talk: only what its row says. Anything that a pod is not told to do
 * is refused by the network, whatever a bug or a stranger's URL would have it do.
 */
export function networkPolicyOf(row: ServiceRow, areas: readonly string[]): object {
  const labels = selectorOf(row.name);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: row.name, labels: labelsOf(row) },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        ...callers(row),
        // Prometheus, from whatever namespace carries this label; the kubelet's probes are always let through.
        {
          from: [{ namespaceSelector: { matchLabels: { "modelgate.io/scrapes": "true" } } }],
          ports: [tcp(ports.ops)],
        },
      ],
      egress: [
        { ports: [{ protocol: "UDP", port: 53 }, tcp(53)] },
        { ports: storePorts(row).map(tcp) },
        ...(row.calledBy === "gateway" ? [{ to: areas.map(pods), ports: [tcp(ports.http)] }] : []),
        ...(row.callsVendors
          ? [{ to: [{ ipBlock: { cidr: "0.0.0.0/0", except: machineMetadata } }], ports: [tcp(443)] }]
          : []),
      ],
    },
  };
}

function storePorts({ secrets }: ServiceRow): readonly number[] {
  return [
    ...(secrets.includes("REDIS_URL") ? stores.redis : []),
    ...(secrets.includes("NATS_URL") ? stores.nats : []),
    ...stores.tracing,
  ];
}

function callers({ calledBy }: ServiceRow): readonly object[] {
  const suite = { podSelector: { matchLabels: { "app.kubernetes.io/part-of": "modelgate" } } };
  const from = { gateway: undefined, edge: [pods("edge")], suite: [suite], nobody: [] }[calledBy];
  if (from === undefined) return [{ ports: [tcp(ports.http)] }];
  return from.length === 0 ? [] : [{ from, ports: [tcp(ports.http)] }];
}
