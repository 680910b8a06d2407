import { join } from "node:path";
import { spawnService, type Child } from "./child.ts";
import { complaintIn } from "./complaints.ts";

const root = join(import.meta.dirname, "../..");

/** The services of a suite on one machine, in the order in which they end: who takes calls first, who keeps books last. */
export const serviceNames = [
  "edge",
  "text",
  "media",
  "audio",
  "video",
  "realtime",
  "simulator",
  "ledger",
  "control",
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Ports of a suite: what each service listens on, and its second port. */
export type SuitePorts = Readonly<Record<ServiceName, { readonly main: number; readonly ops: number }>>;

export interface ServiceSettings {
  readonly ports: SuitePorts;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secret: string;
  /** Path of the YAML; absent: the configuration is in the books. */
  readonly config: string | undefined;
  /** Bind address of the edge; all others listen on loopback. */
  readonly host: string;
  /** More variables: for all, or for one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly logFile?: (name: ServiceName) => string;
  /** Called with warnings and errors, in plain words. */
  readonly onComplaint?: (name: ServiceName, words: string) => void;
}

/** Ports of every service, taken in turn from free ones: two for each. */
export function portsOf(free: readonly number[]): SuitePorts {
  const pairs = serviceNames.map(
    (name, at) => [name, { main: free[at * 2] ?? 0, ops: free[at * 2 + 1] ?? 0 }] as const,
  );
  // Every name has its pair, which `fromEntries` does not know.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(pairs) as SuitePorts;
}

/** Address of a service of a suite on this machine. */
export function addressOf(ports: SuitePorts, name: ServiceName): string {
  return `http://127.0.0.1:${ports[name].main}`;
}

/**
 * Node's flags for every service, in images too. New objects live in a space of this many MiB before a collection: with
 * Node's own 16 an open stream costs the two hops 40 KiB more, and no less CPU.
 */
export const nodeFlags: readonly string[] = ["--max-semi-space-size=8"];

/** The program of a service. The simulator stands with the tests: it is not part of what is shipped. */
export function entryOf(name: string): string {
  return join(root, name === "simulator" ? "e2e" : "services", name, "src/main.ts");
}

/** Starts one service of a suite. */
export function startService(
  name: ServiceName,
  settings: ServiceSettings,
): { readonly child: Child; readonly ready: Promise<void> } {
  const { ports, onComplaint } = settings;
  const prefix = name.toUpperCase();
  const complain = (line: string): void => {
    const words = complaintIn(line);
    if (words !== undefined) onComplaint?.(name, words);
  };
  return spawnService({
    name,
    command: process.execPath,
    args: [...nodeFlags, entryOf(name)],
    env: {
      REDIS_URL: settings.redisUrl,
      NATS_URL: settings.natsUrl,
      MODELGATE_SECRET: settings.secret,
      MODELGATE_CONFIG: settings.config ?? "",
      HOST: name === "edge" ? settings.host : "127.0.0.1",
      [name === "edge" ? "PORT" : `${prefix}_PORT`]: String(ports[name].main),
      [`${prefix}_OPS_PORT`]: String(ports[name].ops),
      ...Object.fromEntries(serviceNames.map((each) => [`${each.toUpperCase()}_URL`, addressOf(ports, each)])),
      ...settings.env,
      ...settings.envOf?.[name],
    },
    logFile: settings.logFile?.(name),
    ...(onComplaint === undefined ? {} : { onLine: complain }),
  });
}
