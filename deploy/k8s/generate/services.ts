import { existsSync } from "node:fs";
import { join } from "node:path";

/** Properties of one service, from which `base/` is generated. */
export interface ServiceRow {
  /** Name of the service's objects, and in MODELGATE_SERVICES. */
  readonly name: string;
  /** Image `modelgate/<image>`; `gateway` if absent. */
  readonly image?: "gateway" | "simulator";
  readonly portVariable: string;
  readonly opsPortVariable?: string;
  /** Keys of the Secret `modelgate`. */
  readonly secrets: readonly ("REDIS_URL" | "CONTENT_REDIS_URL" | "NATS_URL" | "BOOKS_URL" | "MODELGATE_SECRET")[];
  /** Callers of the main port. `gateway`: anyone, usually the cluster's Gateway or Ingress. `suite`: all services. */
  readonly calledBy: "gateway" | "edge" | "control" | "suite" | "none";
  readonly callsVendors: boolean;
  /** True if the service sends alerts by HTTPS and SMTP. */
  readonly sendsAlerts?: boolean;
  /** Resource requests and memory limit. capacity.md describes their derivation. */
  readonly resources: { readonly cpu: string; readonly memory: string; readonly memoryLimit: string };
  readonly replicas: { readonly min: number; readonly max: number };
  /** Maximum seconds for open streams or sessions when a pod has to end. */
  readonly drainSeconds: number;
  /** Maximum start time in seconds; 60 if absent. */
  readonly startSeconds?: number;
  /** Size of /tmp in MiB; 64 if absent. */
  readonly diskMebibytes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** True if the service has the configuration file and vendors' keys. */
  readonly readsConfiguration?: boolean;
}

const stateSecrets = ["REDIS_URL", "NATS_URL", "MODELGATE_SECRET"] as const;
/** Secret keys of services with stored client content. */
const contentSecrets = [...stateSecrets, "CONTENT_REDIS_URL"] as const;
/** Keys of the Secret that may be absent. */
export const optionalSecrets: ReadonlySet<string> = new Set(["MODELGATE_SECRET_BEFORE", "CONTENT_REDIS_URL"]);
/** Maximum seconds for a stream when its pod ends. A longer stream is cut, and its usage until then is charged. */
export const streamSeconds = 300;
const sessionSeconds = 900;

const areaRow = {
  secrets: stateSecrets,
  calledBy: "edge",
  callsVendors: true,
  replicas: { min: 3, max: 60 },
  drainSeconds: streamSeconds,
} as const satisfies Partial<ServiceRow>;

/** Services that run in a cluster. After a change, run `node deploy/k8s/generate/main.ts`. */
const table: readonly ServiceRow[] = [
  {
    name: "edge",
    portVariable: "PORT",
    secrets: ["REDIS_URL", "MODELGATE_SECRET"],
    calledBy: "gateway",
    callsVendors: false,
    resources: { cpu: "500m", memory: "320Mi", memoryLimit: "640Mi" },
    replicas: { min: 3, max: 60 },
    // Sessions pass through the edge, so it must not end before their services.
    drainSeconds: sessionSeconds,
  },
  {
    ...areaRow,
    name: "text",
    portVariable: "TEXT_PORT",
    secrets: contentSecrets,
    resources: { cpu: "500m", memory: "512Mi", memoryLimit: "1Gi" },
    // A body needs about four times its size while it is processed.
    env: { BUFFER_BYTES: String(128 * 1024 * 1024) },
  },
  {
    ...areaRow,
    name: "media",
    portVariable: "MEDIA_PORT",
    // Images are large, and need several times their size while they are processed.
    resources: { cpu: "500m", memory: "768Mi", memoryLimit: "2Gi" },
    env: { BUFFER_BYTES: String(256 * 1024 * 1024) },
  },
  {
    ...areaRow,
    name: "audio",
    portVariable: "AUDIO_PORT",
    resources: { cpu: "500m", memory: "512Mi", memoryLimit: "1Gi" },
    diskMebibytes: 3_072,
    // Uploaded files wait on disk.
    env: { BUFFER_BYTES: String(128 * 1024 * 1024), SPOOL_BYTES: String(2_048 * 1024 * 1024) },
  },
  {
    ...areaRow,
    name: "video",
    portVariable: "VIDEO_PORT",
    resources: { cpu: "250m", memory: "320Mi", memoryLimit: "1Gi" },
    env: { BUFFER_BYTES: String(128 * 1024 * 1024) },
  },
  {
    ...areaRow,
    name: "realtime",
    portVariable: "REALTIME_PORT",
    secrets: contentSecrets,
    resources: { cpu: "500m", memory: "512Mi", memoryLimit: "2Gi" },
    drainSeconds: sessionSeconds,
    env: { SESSIONS: "2000" },
  },
  {
    name: "ledger",
    portVariable: "LEDGER_PORT",
    secrets: [...stateSecrets, "BOOKS_URL"],
    calledBy: "control",
    callsVendors: false,
    sendsAlerts: true,
    resources: { cpu: "250m", memory: "192Mi", memoryLimit: "512Mi" },
    replicas: { min: 2, max: 10 },
    drainSeconds: 30,
    // The first pod of a new version migrates the books, which may take long.
    startSeconds: 3_600,
  },
  {
    name: "control",
    portVariable: "CONTROL_PORT",
    secrets: ["REDIS_URL", "MODELGATE_SECRET"],
    calledBy: "none",
    callsVendors: true,
    resources: { cpu: "100m", memory: "192Mi", memoryLimit: "512Mi" },
    replicas: { min: 1, max: 2 },
    drainSeconds: 30,
    // gatectl runs in the pod: kubectl exec deploy/control -- node programs/gatectl.js
    env: {
      CONTROL_URL: "http://127.0.0.1:8080",
      LEDGER_URL: "http://ledger:8080",
      MODELGATE_CONFIG: "/config/modelgate.yaml",
    },
    readsConfiguration: true,
  },
];

/** Rows of the services, with the variable that selects the service in the image. */
export const rows: readonly ServiceRow[] = table
  .filter(({ name }) => existsSync(join(import.meta.dirname, "../../../services", name, "src/service.ts")))
  .map((row) => ({ ...row, env: { MODELGATE_SERVICES: row.name, ...row.env } }));

/** Returns the image of a row's container, without the registry. */
export function imageOf({ image = "gateway" }: ServiceRow): string {
  return `modelgate/${image}`;
}

/** Row of the overlay `small`, in which one process runs every service. It replaces the rows of the services. */
export const gateway: ServiceRow = {
  name: "gateway",
  portVariable: "PORT",
  opsPortVariable: "EDGE_OPS_PORT",
  secrets: [...contentSecrets, "BOOKS_URL"],
  calledBy: "gateway",
  callsVendors: true,
  sendsAlerts: true,
  resources: { cpu: "500m", memory: "512Mi", memoryLimit: "2Gi" },
  replicas: { min: 1, max: 1 },
  drainSeconds: streamSeconds,
  // Migrates the books, as the ledger does.
  startSeconds: 3_600,
  diskMebibytes: 3_072,
  // Only this process calls the ports of control and ledger.
  env: {
    CONTROL_PORT: "8081",
    CONTROL_URL: "http://127.0.0.1:8081",
    LEDGER_PORT: "8082",
    LEDGER_URL: "http://127.0.0.1:8082",
    MODELGATE_CONFIG: "/config/modelgate.yaml",
    BUFFER_BYTES: String(256 * 1024 * 1024),
    SPOOL_BYTES: String(2_048 * 1024 * 1024),
    SESSIONS: "2000",
  },
  readsConfiguration: true,
};

/** Row of the simulator, for overlays without a vendor's key. */
export const simulator: ServiceRow = {
  name: "simulator",
  image: "simulator",
  portVariable: "SIMULATOR_PORT",
  secrets: [],
  calledBy: "suite",
  callsVendors: false,
  resources: { cpu: "100m", memory: "128Mi", memoryLimit: "512Mi" },
  replicas: { min: 1, max: 3 },
  drainSeconds: 10,
};
