import { Type, type TSchema } from "typebox";
import type { ServiceRow } from "../../k8s/generate/services.ts";
import type { Store } from "./stores.ts";

/** Schema option that refuses unknown members. */
const noOtherMembers = { additionalProperties: false } as const;
const text = (description: string, fallback = "") => Type.String({ description, default: fallback });
const flag = (description: string, fallback = false) => Type.Boolean({ description, default: fallback });
const texts = (description: string, fallback: Readonly<Record<string, string>> = {}) =>
  Type.Record(Type.String(), Type.String(), { description, default: fallback });
const anyObject = (description: string) => Type.Object({}, { description, default: {} });
const objects = (description: string) => Type.Array(Type.Object({}), { description, default: [] });
const count = (fallback: number, description?: string) =>
  Type.Integer({ minimum: 1, default: fallback, ...(description === undefined ? {} : { description }) });

function serviceSchema(row: ServiceRow, fixed: readonly string[]) {
  const { resources, replicas, drainSeconds, diskMebibytes = 64, env = {} } = row;
  const settableEnv = Object.fromEntries(Object.entries(env).filter(([name]) => !fixed.includes(name)));
  return Type.Object(
    {
      image: text(
        "Full image reference, if it differs from the common registry, repository and tag (for example, with a digest).",
      ),
      replicas: Type.Object({ min: count(replicas.min), max: count(replicas.max) }, noOtherMembers),
      drainSeconds: Type.Integer({
        minimum: 0,
        maximum: 3_600,
        default: drainSeconds,
        description: "How long open streams may continue when a pod terminates; the edge's is the longest.",
      }),
      disk: Type.String({
        pattern: "^[0-9]+[MG]i$",
        default: `${diskMebibytes}Mi`,
        description: "Size of /tmp, for files in transit.",
      }),
      resources: Type.Object(
        {},
        {
          description: "Requests and limits of the container. A CPU limit would delay every stream of the pod.",
          default: {
            requests: { cpu: resources.cpu, memory: resources.memory },
            limits: { memory: resources.memoryLimit },
          },
        },
      ),
      env: Type.Record(Type.String(), Type.String(), {
        description: `Additional variables of ${row.name === "simulator" ? "e2e" : "services"}/${row.name}/src/env.ts, as text.`,
        default: settableEnv,
        propertyNames: { pattern: "^[A-Z][A-Z0-9_]*$", not: { enum: [...fixed] } },
      }),
    },
    noOtherMembers,
  );
}

const secretKey = (key: string, description: string) =>
  Type.Object({ name: text("", "modelgate"), key: text("", key) }, { ...noOtherMembers, description: description });

function bundledStoreSchema(serverName: string, image: string, storage: string) {
  return {
    bundled: flag(serverName),
    image: text("Image of the bundled server.", image),
    storage: Type.String({
      pattern: "^[0-9]+[MGT]i$",
      default: storage,
      description: "Size of the bundled server's volume.",
    }),
    resources: Type.Object(
      {},
      {
        description: "Requests and limits of the bundled server.",
        default: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "512Mi" } },
      },
    ),
  };
}

/** Sources of the schema's defaults. */
export interface ValueSources {
  readonly rows: readonly ServiceRow[];
  readonly simulator: ServiceRow;
  /** Returns the variables that a service's template sets. */
  readonly fixedVariables: (row: ServiceRow) => readonly string[];
  readonly images: Readonly<Record<Store, string>>;
  readonly storage: Readonly<Record<Store, string>>;
  readonly ingressAnnotations: Readonly<Record<string, string>>;
  readonly registry: string;
}

function entrySchema(entryName: string, className: string, annotations: Readonly<Record<string, string>>) {
  return Type.Object(
    {
      enabled: flag(entryName),
      className: text("Class of the ingress controller.", className),
      host: text("Host name that clients call.", "gateway.example.com"),
      tlsSecret: text("Secret with the certificate.", "modelgate-tls"),
      annotations: texts("Annotations.", annotations),
    },
    noOtherMembers,
  );
}

const secrets = Type.Object(
  {
    MODELGATE_SECRET: secretKey(
      "MODELGATE_SECRET",
      "Key that signs requests from the edge to the services: 32 random bytes.",
    ),
    MODELGATE_SECRET_BEFORE: secretKey("MODELGATE_SECRET_BEFORE", "The other secret during a rotation; may be absent."),
    REDIS_URL: secretKey("REDIS_URL", "Address of Redis; redis://:REDIS_PASSWORD@redis:6379 if it is bundled."),
    CONTENT_REDIS_URL: secretKey(
      "CONTENT_REDIS_URL",
      "Address of the Redis for clients' content, redis://:REDIS_PASSWORD@redis-content:6379 if it is bundled; if absent, REDIS_URL.",
    ),
    NATS_URL: secretKey("NATS_URL", "Address of NATS; nats://modelgate:NATS_PASSWORD@nats:4222 if it is bundled."),
    BOOKS_URL: secretKey(
      "BOOKS_URL",
      "Address of the PostgreSQL for the books, the database of charges; postgres://modelgate:POSTGRES_PASSWORD@postgres:5432/modelgate if it is bundled.",
    ),
    REDIS_PASSWORD: secretKey("REDIS_PASSWORD", "Password of the bundled Redis servers: letters and digits."),
    NATS_PASSWORD: secretKey("NATS_PASSWORD", "Password of the bundled NATS: letters and digits."),
    POSTGRES_PASSWORD: secretKey("POSTGRES_PASSWORD", "Password of the bundled PostgreSQL: letters and digits."),
    vendorKeys: text("Secret whose keys the configuration names with env:NAME.", "modelgate-vendor-keys"),
  },
  {
    ...noOtherMembers,
    description: "Existing Secrets; the chart creates none. Each key can be in a separate Secret.",
  },
);

const autoscaling = Type.Object(
  {
    kind: Type.Enum(["hpa", "keda", "none"], {
      description: "hpa: HorizontalPodAutoscalers; keda: ScaledObjects; none: replicas.min pods of each service.",
      default: "hpa",
    }),
    cpuPercent: count(60, "Target CPU utilization in percent of the request; needs metrics-server."),
    streamsPerPod: count(1_000, "Target number of open requests and streams per pod."),
    streamsMetric: flag(
      "Scale HPAs by http_server_active_requests too; needs a metrics adapter that serves it for pods.",
    ),
    prometheus: text(
      "Prometheus server that KEDA reads open streams and queues from.",
      "http://prometheus-operated.monitoring:9090",
    ),
  },
  noOtherMembers,
);

const networkPolicy = Type.Object(
  {
    enabled: flag("Create NetworkPolicies that allow each service only the connections it needs.", true),
    scrapers: texts('Labels of the namespace that Prometheus runs in; if empty, `modelgate.io/scrapes: "true"`.'),
    consoleFrom: objects(
      "Pods and namespaces that may reach the console, such as your ingress controller; by default, only a port-forward reaches it.",
    ),
    egress: objects(
      "Additional egress rules of every service (for example, another port of Redis, NATS or a collector).",
    ),
    vendorEgress: objects(
      "Additional egress rules of services that call vendors (for example, a vendor or OpenID provider in your network).",
    ),
    cilium: Type.Object(
      {
        enabled: flag("Allow connections by name (CiliumNetworkPolicy) instead of to every public address."),
        names: Type.Array(Type.String({ pattern: "^[a-z0-9*.-]+$" }), {
          description:
            "Host names of vendors, pictures, clients' callbacks, targets of alerts, and the OpenID provider; * matches one part.",
          default: [],
        }),
        dns: texts("Labels of the cluster's DNS pods; if empty, `k8s:k8s-app: kube-dns`."),
        dnsNamespace: text("Namespace of the cluster's DNS pods.", "kube-system"),
      },
      {
        ...noOtherMembers,
        // If the policy is enabled without a host name, no vendor can be reached.
        anyOf: [{ properties: { enabled: { const: false } } }, { properties: { names: { minItems: 1 } } }],
      },
    ),
  },
  noOtherMembers,
);

const monitoring = Type.Object(
  {
    podMonitor: Type.Object(
      {
        enabled: flag("PodMonitor of Prometheus Operator."),
        labels: texts("Labels that your Prometheus selects."),
        interval: text("", "15s"),
      },
      noOtherMembers,
    ),
    prometheusRule: Type.Object(
      {
        enabled: flag("PrometheusRule with the alerts."),
        labels: texts("Labels that your Prometheus selects."),
        runbookBaseUrl: text("Address where you serve the docs/ site: the prefix of every alert's runbook_url."),
      },
      noOtherMembers,
    ),
    dashboards: Type.Object(
      {
        enabled: flag("Create a ConfigMap for each Grafana dashboard."),
        labels: texts("Labels that Grafana's sidecar selects.", { grafana_dashboard: "1" }),
      },
      noOtherMembers,
    ),
  },
  noOtherMembers,
);

const podSettings = Type.Object(
  {
    annotations: texts("Annotations of every pod."),
    nodeSelector: texts("Labels of the nodes."),
    tolerations: objects("Taints that pods tolerate."),
    affinity: anyObject("Affinity of every pod."),
    priorityClassName: text("Priority class of every pod."),
  },
  { ...noOtherMembers, description: "Settings of every pod." },
);

/** Returns the schema of values.yaml, with descriptions and defaults. */
export function valuesSchema(sources: ValueSources) {
  const { rows, simulator, fixedVariables, images, storage, registry } = sources;
  return Type.Object(
    {
      // Helm adds `global` if the chart is part of another chart.
      global: Type.Optional(Type.Object({})),
      image: Type.Object(
        {
          registry: text("Registry and path in front of the repository.", registry),
          repository: text("", "modelgate"),
          tag: text("Tag of every image; if empty, the chart's appVersion."),
          pullPolicy: Type.Enum(["", "Always", "IfNotPresent", "Never"], { default: "" }),
          pullSecrets: Type.Array(Type.String(), { description: "Names of Secrets of the registry.", default: [] }),
        },
        noOtherMembers,
      ),
      config: Type.Object(
        {
          source: Type.Enum(["file", "books"], {
            description:
              "file: modelgate.yaml is the configuration; books: it is only the first one, and later ones are edited in the console and stored in the books.",
            default: "file",
          }),
          configMap: text("ConfigMap with modelgate.yaml, the models and channels.", "modelgate-config"),
          text: text(
            "Text of modelgate.yaml (--set-file config.text=FILE), which the chart stores in the ConfigMap; if empty, the ConfigMap must exist.",
          ),
        },
        noOtherMembers,
      ),
      secrets,
      publicUrl: text(
        "Address that clients call, for links to videos and for the console; if empty, the address of the Gateway or Ingress.",
      ),
      gateway: entrySchema("A Gateway with an HTTPRoute (Gateway API).", "example", {}),
      ingress: entrySchema("An Ingress.", "nginx", sources.ingressAnnotations),
      services: Type.Object(
        Object.fromEntries(rows.map((row) => [row.name, serviceSchema(row, fixedVariables(row))])),
        noOtherMembers,
      ),
      simulator: Type.Object(
        {
          enabled: flag("Run the vendor simulator, for trials without a vendor's key."),
          ...serviceSchema(simulator, fixedVariables(simulator)).properties,
        },
        noOtherMembers,
      ),
      autoscaling,
      podDisruptionBudget: Type.Object(
        {
          enabled: flag("", true),
          maxUnavailable: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: "^[0-9]+%$" })], {
            description: "Pods of a service, as a number or a percentage, that may be unavailable at the same time.",
            default: 1,
          }),
        },
        noOtherMembers,
      ),
      networkPolicy,
      monitoring,
      redis: Type.Object(
        bundledStoreSchema("Run one Redis in the release, for trials.", images.redis, storage.redis),
        noOtherMembers,
      ),
      redisContent: Type.Object(
        bundledStoreSchema(
          "Run one Redis for clients' content in the release, for trials.",
          images.redisContent,
          storage.redisContent,
        ),
        noOtherMembers,
      ),
      nats: Type.Object(
        {
          ...bundledStoreSchema("Run one NATS server in the release, for trials.", images.nats, storage.nats),
          replicas: Type.Integer({
            minimum: 0,
            maximum: 5,
            description: "Number of NATS servers that store each event; 0: the services' default.",
            default: 0,
          }),
          keepBytes: Type.String({
            pattern: "^[0-9]*$",
            description: "Maximum size of each event stream; empty: the services' default.",
            default: "",
          }),
        },
        noOtherMembers,
      ),
      postgres: Type.Object(
        bundledStoreSchema("Run one PostgreSQL in the release, for trials.", images.postgres, storage.postgres),
        noOtherMembers,
      ),
      tracing: Type.Object({ endpoint: text("OTLP endpoint (HTTP) that spans are sent to.") }, noOtherMembers),
      privateCa: Type.Object(
        { secret: text("Secret with ca.crt, if Redis or NATS use certificates of your own authority.") },
        noOtherMembers,
      ),
      pods: podSettings,
    },
    { ...noOtherMembers, $schema: "http://json-schema.org/draft-07/schema#", title: "Values of the chart modelgate" },
  );
}

/** Schema of a value, with its default and with the description that becomes a comment. */
export interface Member extends TSchema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
}
