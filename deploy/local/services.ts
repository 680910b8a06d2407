import { builtProgram } from "@modelgate/build";
import { spawnService, type Child } from "./child.ts";
import { serviceMessageIn } from "./complaints.ts";

/**
 * Services of a suite on one machine, in the order in which they are ended: those that accept calls first, the ledger
 * and control last.
 */
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

/** Ports of a suite: the main and the second port of each service. */
export type SuitePorts = Readonly<Record<ServiceName, { readonly main: number; readonly ops: number }>>;

export interface ServiceSettings {
  readonly ports: SuitePorts;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secret: string;
  /** Path of the configuration file; undefined if the configuration is in the books. */
  readonly config: string | undefined;
  /** Address on which the edge listens. All other services listen on loopback. */
  readonly host: string;
  /** Further variables of all services. */
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly logFile?: (name: ProcessName) => string;
  /** Called with the warnings and errors of services as plain text. */
  readonly onComplaint?: (name: string, words: string) => void;
  /** Program that runs services; if absent, the shipped one. */
  readonly program?: string;
  /**
   * Function that starts the process of a service; default: `spawnService`. Tests pass `spawnWarm`, which reuses
   * processes.
   */
  readonly spawn?: typeof spawnService;
}

/** Assigns free ports to every service, two each. */
export function portsOf(free: readonly number[]): SuitePorts {
  const pairs = serviceNames.map(
    (name, at) => [name, { main: free[at * 2] ?? 0, ops: free[at * 2 + 1] ?? 0 }] as const,
  );
  // Every name has a pair of ports, but the type of `fromEntries` does not show this.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(pairs) as SuitePorts;
}

/** Returns the address of a service of a suite on this machine. */
export function addressOf(ports: SuitePorts, name: ServiceName): string {
  return `http://127.0.0.1:${ports[name].main}`;
}

/** Node's flags for every service, also in images. Each has the measurement that justifies it. */
export const nodeFlags: readonly string[] = [
  // MiB of new objects before a collection. With 8, a call takes 6 % more CPU time; 32 saves 6 % and costs 25 KiB per
  // open stream.
  "--max-semi-space-size=16",
  // A single thread collects new objects. Several threads that share such a small space wait for each other, which
  // takes 8 % of a call's CPU time.
  "--no-parallel-scavenge",
  // V8 collects old objects when they have grown by this percentage. By default it lets them grow to four or five times
  // the size of those in use: 280 MB under a load of chat calls, of which 55 MB are in use.
  "--heap-growing-percent=100",
  // Without this flag, a call after 14 s without calls took twice the CPU time: V8 had dropped bytecode, hidden classes
  // and optimized code to save memory. The last flag of the list reduces the memory of an idle process by about 40 MiB.
  "--no-flush-bytecode",
  "--no-memory-reducer-favors-memory",
];

/** Name of a process of a suite: a service, or the gateway, which runs several services. */
export type ProcessName = ServiceName | "gateway";

interface StartedService {
  readonly child: Child;
  readonly ready: Promise<void>;
}

/** Starts one service of a suite in a separate process. */
export function startService(name: ServiceName, settings: ServiceSettings): StartedService {
  return startProcess(name, settings, {
    ...(name === "simulator" ? {} : { MODELGATE_SERVICES: name }),
    ...portVariables(name, settings.ports),
    ...settings.env,
    ...settings.envOf?.[name],
  });
}

/**
 * Starts services of a suite in one process. Areas have no ports there, because the edge passes calls to them directly.
 * Throws an error if `envOf` gives two services different values of one variable.
 */
export function startTogether(names: readonly ServiceName[], settings: ServiceSettings): StartedService {
  const withPorts = names.filter((name) => name === "edge" || name === "ledger" || name === "control");
  const own = new Map<string, string>();
  for (const name of names)
    for (const [variable, value] of Object.entries(settings.envOf?.[name] ?? {})) {
      if ((own.get(variable) ?? value) !== value) throw new Error(`${variable} has two values in one process`);
      own.set(variable, value);
    }
  return startProcess("gateway", settings, {
    MODELGATE_SERVICES: names.join(","),
    ...Object.assign({}, ...withPorts.map((name) => portVariables(name, settings.ports))),
    ...settings.env,
    ...Object.fromEntries(own),
  });
}

/** Returns the variables of a service's two ports. */
function portVariables(name: ServiceName, ports: SuitePorts): Readonly<Record<string, string>> {
  const prefix = name.toUpperCase();
  return {
    [name === "edge" ? "PORT" : `${prefix}_PORT`]: String(ports[name].main),
    [`${prefix}_OPS_PORT`]: String(ports[name].ops),
  };
}

function startProcess(
  name: ProcessName,
  { ports, onComplaint, program = builtProgram("gateway"), spawn = spawnService, ...settings }: ServiceSettings,
  env: Readonly<Record<string, string>>,
): StartedService {
  const say = (line: string): void => {
    const complaint = serviceMessageIn(line);
    if (complaint !== undefined) onComplaint?.(complaint.service ?? name, complaint.words);
  };
  return spawn({
    name,
    command: process.execPath,
    args: [...nodeFlags, name === "simulator" ? builtProgram(name) : program],
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
