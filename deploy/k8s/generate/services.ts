import { existsSync } from "node:fs";
import { join } from "node:path";

/** What Kubernetes must know of one service beyond what all services share. Everything in `base/` follows from it. */
export interface ServiceRow {
  /** The name of every object; of a service, its name in MODELGATE_SERVICES. */
  readonly name: string;
  /** The image `modelgate/<image>`: one for all services; absent: `gateway`. */
  readonly image?: "gateway" | "simulator";
  /** Variable of the main port, and of the second where that is not `<NAME>_OPS_PORT`. */
  readonly portVariable: string;
  readonly opsPortVariable?: string;
  /** The keys of the Secret `modelgate` that it reads. */
  readonly secrets: readonly ("REDIS_URL" | "CONTENT_REDIS_URL" | "NATS_URL" | "BOOKS_URL" | "MODELGATE_SECRET")[];
  /** Who may call its main port: the gateway in front, the edge, control, the whole suite, or none. */
  readonly calledBy: "gateway" | "edge" | "control" | "suite" | "none";
  /** Whether it calls vendors. */
  readonly callsVendors: boolean;
  /** Requests and the memory limit, from e2e/bench/README.md; see capacity.md for how. */
  readonly resources: { readonly cpu: string; readonly memory: string; readonly memoryLimit: string };
  readonly replicas: { readonly min: number; readonly max: number };
  /** How long open streams or sessions may go on when a pod is asked to end. */
  readonly drainSeconds: number;
  /** How long its start may take, where it is more than a minute. */
  readonly startSeconds?: number;
  /** Room below /tmp, for files that pass through; 64 where absent. */
  readonly diskMebibytes?: number;
  /** Variables of its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Mounts the ConfigMap with the YAML, and takes the vendors' keys from the Secret `modelgate-vendor-keys`. */
  readonly readsConfiguration?: boolean;
}

const state = ["REDIS_URL", "NATS_URL", "MODELGATE_SECRET"] as const;
/** What services read that keep clients' content. */
const contentState = [...state, "CONTENT_REDIS_URL"] as const;
/** Keys of the Secret that may be absent: the other secret of a rotation, and what falls back to REDIS_URL. */
export const optionalSecrets: ReadonlySet<string> = new Set(["MODELGATE_SECRET_BEFORE", "CONTENT_REDIS_URL"]);
/** A text stream may take minutes; what is cut after that has been settled at what it had. */
export const streamSeconds = 300;
/** Sessions last: most have ended by themselves before this. */
const sessionSeconds = 900;

/** An area's service: called by the edge, calls vendors, keeps holds and events. */
const area = {
  secrets: state,
  calledBy: "edge",
  callsVendors: true,
  replicas: { min: 3, max: 60 },
  drainSeconds: streamSeconds,
} as const satisfies Partial<ServiceRow>;

/** Every service that runs in a cluster: one more is one more row, then `node deploy/k8s/generate/main.ts`. */
const table: readonly ServiceRow[] = [
  {
    name: "edge",
    portVariable: "PORT",
    secrets: ["REDIS_URL", "MODELGATE_SECRET"],
    calledBy: "gateway",
    callsVendors: false,
    resources: { cpu: "500m", memory: "320Mi", memoryLimit: "640Mi" },
    replicas: { min: 3, max: 60 },
    // Sessions go through it, too: it must outlast the services behind it, or sessions are cut here without a close.
    drainSeconds: sessionSeconds,
  },
  {
    ...area,
    name: "text",
    portVariable: "TEXT_PORT",
    secrets: contentState,
    resources: { cpu: "500m", memory: "512Mi", memoryLimit: "1Gi" },
    // A body in work takes about four times its size: 128 MiB of bodies fit beside streams in the limit.
    env: { BUFFER_BYTES: String(128 * 1024 * 1024) },
  },
  {
    ...area,
    name: "media",
    portVariable: "MEDIA_PORT",
    // Pictures are large: a body or an answer in work takes several times its size.
    resources: { cpu: "500m", memory: "768Mi", memoryLimit: "2Gi" },
    env: { BUFFER_BYTES: String(256 * 1024 * 1024) },
  },
  {
    ...area,
    name: "audio",
    portVariable: "AUDIO_PORT",
    resources: { cpu: "500m", memory: "512Mi", memoryLimit: "1Gi" },
    diskMebibytes: 3_072,
    // Files wait on disk for their model.
    env: { BUFFER_BYTES: String(128 * 1024 * 1024), SPOOL_BYTES: String(2_048 * 1024 * 1024) },
  },
  {
    ...area,
    name: "video",
    portVariable: "VIDEO_PORT",
    resources: { cpu: "250m", memory: "320Mi", memoryLimit: "1Gi" },
    env: { BUFFER_BYTES: String(128 * 1024 * 1024) },
  },
  {
    ...area,
    name: "realtime",
    portVariable: "REALTIME_PORT",
    secrets: contentState,
    resources: { cpu: "500m", memory: "512Mi", memoryLimit: "2Gi" },
    drainSeconds: sessionSeconds,
    env: { SESSIONS: "2000" },
  },
  {
    name: "ledger",
    portVariable: "LEDGER_PORT",
    secrets: [...state, "BOOKS_URL"],
    calledBy: "control",
    callsVendors: false,
    resources: { cpu: "250m", memory: "192Mi", memoryLimit: "512Mi" },
    replicas: { min: 2, max: 10 },
    drainSeconds: 30,
    // The first pod of a new version migrates the books: an index of many calls takes its time.
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
    // gatectl runs in the pod: kubectl exec deploy/control -- node services/control/src/gatectl/main.ts
    env: {
      CONTROL_URL: "http://127.0.0.1:8080",
      LEDGER_URL: "http://ledger:8080",
      MODELGATE_CONFIG: "/config/modelgate.yaml",
    },
    readsConfiguration: true,
  },
];

/** The rows of the services that there are, each with the variable that has the image run it. */
export const rows: readonly ServiceRow[] = table
  .filter(({ name }) => existsSync(join(import.meta.dirname, "../../../services", name, "src/service.ts")))
  .map((row) => ({ ...row, env: { MODELGATE_SERVICES: row.name, ...row.env } }));

/** The image of a row's container, without its registry. */
export function imageOf({ image = "gateway" }: ServiceRow): string {
  return `modelgate/${image}`;
}

/** Every service in one process, for the overlay `small`: it takes the place of all rows. */
export const gateway: ServiceRow = {
  name: "gateway",
  portVariable: "PORT",
  opsPortVariable: "EDGE_OPS_PORT",
  secrets: [...contentState, "BOOKS_URL"],
  calledBy: "gateway",
  callsVendors: true,
  resources: { cpu: "500m", memory: "512Mi", memoryLimit: "2Gi" },
  replicas: { min: 1, max: 1 },
  drainSeconds: streamSeconds,
  // It migrates the books, as the ledger does.
  startSeconds: 3_600,
  diskMebibytes: 3_072,
  // Ports that only this process itself calls; no rule of the network lets others to them.
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

/** The vendors' simulator, for overlays without a vendor's key. */
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
