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
  /** Bind address of the edge; all other ports are on loopback. */
  readonly host: string;
  /** More variables: for all, or for one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly logFile?: (name: ProcessName) => string;
  /** Called with warnings and errors, in plain words. */
  readonly onComplaint?: (name: string, words: string) => void;
  /** The program that runs services; absent: the shipped one. */
  readonly program?: string;
  /** How a process is begun; absent: as a new one. */
  readonly spawn?: typeof spawnService;
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

/** Node's flags for every service, in images too: the only list of them, each with the figure that it is for. */
export const nodeFlags: readonly string[] = [
  // MiB of new objects before a collection. 8 costs a call 6 % more CPU; 32 saves 6 %, and costs an open stream 25 KiB.
  "--max-semi-space-size=16",
  // One thread collects new objects: several that share so small a space wait for each other for 8 % of a call's CPU.
  "--no-parallel-scavenge",
  // After a pause of 14 s without calls a call cost twice the CPU: V8 had dropped bytecode, hidden classes and optimized code
  // to save memory. Without the last flag a process at rest has about 40 MiB less.
  "--no-flush-bytecode",
  "--no-memory-reducer-favors-memory",
];

/** A process of a suite: a service, or the gateway, which runs several. */
export type ProcessName = ServiceName | "gateway";

/** The program that runs services: those that MODELGATE_SERVICES names. */
export const gatewayProgram = join(root, "services/gateway/src/main.ts");

/** The simulator's program. It stands with the tests: it is not part of what is shipped. */
export const simulatorProgram = join(root, "e2e/simulator/src/main.ts");

interface Started {
  readonly child: Child;
  readonly ready: Promise<void>;
}

/** Starts one service of a suite in a process of its own. */
export function startService(name: ServiceName, settings: ServiceSettings): Started {
  return startProcess(name, settings, {
    ...(name === "simulator" ? {} : { MODELGATE_SERVICES: name }),
    ...portVariables(name, settings.ports),
    ...settings.env,
    ...settings.envOf?.[name],
  });
}

/**
 * Starts services of a suite in one process. Areas have no ports there: the edge of the process hands them their calls.
 * Throws where `envOf` gives two services different values of one variable.
 */
export function startTogether(names: readonly ServiceName[], settings: ServiceSettings): Started {
  const reached = names.filter((name) => name === "edge" || name === "ledger" || name === "control");
  const own = new Map<string, string>();
  for (const name of names)
    for (const [variable, value] of Object.entries(settings.envOf?.[name] ?? {})) {
      if ((own.get(variable) ?? value) !== value) throw new Error(`${variable} has two values in one process`);
      own.set(variable, value);
    }
  return startProcess("gateway", settings, {
    MODELGATE_SERVICES: names.join(","),
    ...Object.assign({}, ...reached.map((name) => portVariables(name, settings.ports))),
    ...settings.env,
    ...Object.fromEntries(own),
  });
}

/** The variables of a service's two ports. */
function portVariables(name: ServiceName, ports: SuitePorts): Readonly<Record<string, string>> {
  const prefix = name.toUpperCase();
  return {
    [name === "edge" ? "PORT" : `${prefix}_PORT`]: String(ports[name].main),
    [`${prefix}_OPS_PORT`]: String(ports[name].ops),
  };
}

function startProcess(
  name: ProcessName,
  { ports, onComplaint, program = gatewayProgram, spawn = spawnService, ...settings }: ServiceSettings,
  env: Readonly<Record<string, string>>,
): Started {
  const say = (line: string): void => {
    const complaint = complaintIn(line);
    if (complaint !== undefined) onComplaint?.(complaint.service ?? name, complaint.words);
  };
  return spawn({
    name,
    command: process.execPath,
    args: [...nodeFlags, name === "simulator" ? simulatorProgram : program],
    env: {
      REDIS_URL: settings.redisUrl,
      NATS_URL: settings.natsUrl,
      MODELGATE_SECRET: settings.secret,
      MODELGATE_CONFIG: settings.config ?? "",
      HOST: settings.host,
      INNER_HOST: "127.0.0.1",
      ...Object.fromEntries(serviceNames.map((each) => [`${each.toUpperCase()}_URL`, addressOf(ports, each)])),
      ...env,
    },
    logFile: settings.logFile?.(name),
    ...(onComplaint === undefined ? {} : { onLine: say }),
  });
}
