import { builtProgram } from "@modelgate/build";
import { spawnService, type Child } from "./child.ts";
import { serviceMessageIn } from "./service-messages.ts";

/** Services of a suite on one machine, in the order in which they are ended. */
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

/** Main port of each service, and its operations port for probes and metrics. */
export type SuitePorts = Readonly<Record<ServiceName, { readonly main: number; readonly ops: number }>>;

export interface ServiceSettings {
  readonly ports: SuitePorts;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secret: string;
  /** Path of the configuration file; undefined if the configuration is in the books. */
  readonly config: string | undefined;
  /** Address on which the edge listens. Other services listen on loopback. */
  readonly host: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly logFile?: (name: ProcessName) => string;
  /** Called with the warnings and errors of services. */
  readonly onServiceMessage?: (name: string, words: string) => void;
  /** Program that runs services; if absent, the shipped one. */
  readonly program?: string;
  /** Starts the process of a service; default: `spawnService`. */
  readonly spawn?: typeof spawnService;
}

/** Assigns two ports to every service: those that its variables set, or free ones. */
export function portsOf(free: readonly number[], env: Readonly<Record<string, string | undefined>> = {}): SuitePorts {
  const portOf = (variable: string, index: number): number => Number(env[variable]) || (free[index] ?? 0);
  const pairs = serviceNames.map((name, at) => {
    const [main, ops] = portNames(name);
    return [name, { main: portOf(main, at * 2), ops: portOf(ops, at * 2 + 1) }] as const;
  });
  // Every name has a pair of ports, but the type of `fromEntries` does not show this.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(pairs) as SuitePorts;
}

export function addressOf(ports: SuitePorts, name: ServiceName): string {
  return `http://127.0.0.1:${ports[name].main}`;
}

/** Node's flags for every service, also in images. */
export const nodeFlags: readonly string[] = [
  // MiB of new objects before a collection. 8 takes 6 % more CPU time per call; 32 saves 6 % and costs 25 KiB per open
  // stream.
  "--max-semi-space-size=16",
  // Several threads would wait for each other in such a small space, which takes 8 % of a call's CPU time.
  "--no-parallel-scavenge",
  // V8 collects old objects when they have grown by this percentage. By default they grow to 280 MB under load, of
  // which 55 MB are in use.
  "--heap-growing-percent=100",
  // Without the first flag, V8 drops code after 14 s without calls, and the next call takes twice the CPU time. With
  // both flags, an idle process is about 40 MiB smaller than with the first one alone.
  "--no-flush-bytecode",
  "--no-memory-reducer-favors-memory",
];

/** Name of a process: a service, or the gateway with several services. */
export type ProcessName = ServiceName | "gateway";

interface StartedService {
  readonly child: Child;
  readonly ready: Promise<void>;
}

/** Starts one service in a separate process. */
export function startService(name: ServiceName, settings: ServiceSettings): StartedService {
  return startProcess(name, settings, {
    ...(name === "simulator" ? {} : { MODELGATE_SERVICES: name }),
    ...portVariables(name, settings.ports),
    ...settings.env,
    ...settings.envOf?.[name],
  });
}

/**
 * Starts services in one process, where areas need no ports. Throws an error if `envOf` sets a variable to different
 * values.
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

/** Returns the names of the variables of a service's main port and of its operations port. */
export function portNames(name: ServiceName): readonly [main: string, ops: string] {
  const prefix = name.toUpperCase();
  return [name === "edge" ? "PORT" : `${prefix}_PORT`, `${prefix}_OPS_PORT`];
}

function portVariables(name: ServiceName, ports: SuitePorts): Readonly<Record<string, string>> {
  const [main, ops] = portNames(name);
  return { [main]: String(ports[name].main), [ops]: String(ports[name].ops) };
}

function startProcess(
  name: ProcessName,
  { ports, onServiceMessage, program = builtProgram("gateway"), spawn = spawnService, ...settings }: ServiceSettings,
  env: Readonly<Record<string, string>>,
): StartedService {
  const printMessage = (line: string): void => {
    const message = serviceMessageIn(line);
    if (message !== undefined) onServiceMessage?.(message.service ?? name, message.words);
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
    ...(onServiceMessage === undefined ? {} : { onLine: printMessage }),
  });
}
