import { labelsOf, ports, selectorOf } from "./deployment.ts";
import type { ServiceRow } from "./services.ts";

/** Ports of Redis (also with TLS, and of Sentinels), NATS, PostgreSQL and an OpenTelemetry collector. */
const stores = { redis: [6_379, 6_380, 26_379], nats: [4_222], books: [5_432], tracing: [4_318] } as const;
/** Ports of vendors, of images in requests, and of clients' callbacks. */
const vendorPorts = [443];
/** Ports of targets of alerts: HTTPS, and SMTP with TLS or STARTTLS. */
const alertPorts = [443, 465, 587];
/**
 * Address blocks of the public internet. They exclude private networks (also 6to4 addresses, which embed IPv4
 * addresses), so that a forged request (SSRF) cannot reach them.
 */
const internet = [
  {
    cidr: "0.0.0.0/0",
    except: [
      "0.0.0.0/8",
      "10.0.0.0/8",
      "100.64.0.0/10",
      "127.0.0.0/8",
      "169.254.0.0/16",
      "172.16.0.0/12",
      "192.168.0.0/16",
      "224.0.0.0/4",
      "240.0.0.0/4",
    ],
  },
  { cidr: "::/0", except: ["::1/128", "2002::/16", "fc00::/7", "fe80::/10", "ff00::/8"] },
];

const tcp = (port: number) => ({ protocol: "TCP", port });
const pods = (name: string) => ({ podSelector: { matchLabels: selectorOf(name) } });

/**
 * Returns the NetworkPolicy of a service. It allows only connections that follow from the service's row, those to
 * `callees`, DNS, tracing and Prometheus.
 */
export function networkPolicyOf(row: ServiceRow, callees: readonly string[]): object {
  const labels = selectorOf(row.name);
  const outside = internetPorts(row);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: row.name, labels: labelsOf(row) },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        ...callers(row),
        // Prometheus, from any namespace with this label.
        {
          from: [{ namespaceSelector: { matchLabels: { "modelgate.io/scrapes": "true" } } }],
          ports: [tcp(ports.ops)],
        },
      ],
      egress: [
        { ports: [{ protocol: "UDP", port: 53 }, tcp(53)] },
        { ports: storePorts(row).map(tcp) },
        ...(callees.length > 0 ? [{ to: callees.map(pods), ports: [tcp(ports.http)] }] : []),
        ...(outside.length > 0 ? [{ to: internet.map((ipBlock) => ({ ipBlock })), ports: outside.map(tcp) }] : []),
      ],
    },
  };
}

/** Returns the ports outside the cluster that a service connects to. */
export function internetPorts({ callsVendors, sendsAlerts }: ServiceRow): readonly number[] {
  if (sendsAlerts === true) return alertPorts;
  return callsVendors ? vendorPorts : [];
}

function storePorts({ secrets }: ServiceRow): readonly number[] {
  return [
    ...(secrets.includes("REDIS_URL") ? stores.redis : []),
    ...(secrets.includes("NATS_URL") ? stores.nats : []),
    ...(secrets.includes("BOOKS_URL") ? stores.books : []),
    ...stores.tracing,
  ];
}

function callers({ calledBy }: ServiceRow): readonly object[] {
  const suite = { podSelector: { matchLabels: { "app.kubernetes.io/part-of": "modelgate" } } };
  const from = { gateway: undefined, edge: [pods("edge")], control: [pods("control")], suite: [suite], none: [] }[
    calledBy
  ];
  if (from === undefined) return [{ ports: [tcp(ports.http)] }];
  return from.length === 0 ? [] : [{ from, ports: [tcp(ports.http)] }];
}
