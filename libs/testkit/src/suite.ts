import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram, sourceProgram } from "@modelgate/build";
import {
  addressOf,
  freePorts,
  portsOf,
  serviceNames,
  startService,
  startTogether,
  type Child,
  type ServiceName,
  type ServiceSettings,
} from "@modelgate/deploy/local";
import { stringify } from "yaml";
import { startBackends, startLocalBackends, type Backends, type LocalBackends } from "./backends.ts";
import { runGatectl, type GatectlResult } from "./gatectl.ts";
import { limitsVariable, quickRecording, withLimits, type Limits } from "./limits/limits.ts";
import { simulatorAt, type SimulatorClient } from "./simulator-client.ts";
import { until } from "./until.ts";
import { finishService, spawnWarm } from "./warm/pool.ts";

export interface SuiteOptions<B extends Backends> {
  /** Configuration as parsed from YAML. `${SIMULATOR_URL}` is replaced by the simulator's URL. */
  readonly config: object;
  readonly backends?: B;
  /** Default: SUITE_SHAPE, or one process. Tests that kill, drain or replace one service need separate processes. */
  readonly shape?: Shape;
  /** Services to start; default: those that the configuration needs. A reused process always runs all services. */
  readonly services?: "all";
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  /** Limits to lower; `product` leaves all unchanged, for measurements. */
  readonly limits?: Limits | "product";
  /**
   * True to start new processes, for tests of what a process has since its start, such as its metrics. Otherwise
   * processes of an earlier test file may be reused.
   */
  readonly fresh?: true;
  /** True to run the services from their sources, for tests that change modules or need the names of files. */
  readonly sources?: true;
}

/** Layout of the services: one process, or each in a separate one. */
export type Shape = "one" | "apart";

/** All layouts, for tests that run in each of them. */
export const shapes: readonly Shape[] = ["one", "apart"];

/** Running services, with their backends and the simulator, for one test file. */
export interface Suite<B extends Backends = Backends> extends AsyncDisposable {
  readonly shape: Shape;
  readonly edgeUrl: string;
  readonly controlUrl: string;
  readonly opsUrl: (name: ServiceName) => string;
  readonly secret: string;
  readonly backends: B;
  readonly simulator: SimulatorClient;
  /** Returns the process that runs a service. Throws an error if the service was not started. */
  process(name: ServiceName): Child;
  /** Starts a service whose process has ended again, on the same ports. */
  restart(name: ServiceName): Promise<void>;
  /** Replaces the content of the configuration file. */
  configure(config: object | string): void;
  /** Runs gatectl in this process, which saves half a second of CPU time. */
  gatectl(...words: readonly string[]): Promise<GatectlResult>;
  /** Runs gatectl with --json and returns its parsed output. */
  ask<T = unknown>(...words: readonly string[]): Promise<T>;
}

/** Services whose readiness a suite does not wait for. */
const unawaitedServices: ReadonlySet<ServiceName> = new Set(["simulator", "ledger", "control"]);

/** Kinds of models that need an area. Without such models, a suite may start without the area. */
const kindsOfArea: Readonly<Partial<Record<string, readonly string[]>>> = {
  media: ["image"],
  video: ["video"],
  audio: ["transcription", "speech"],
  realtime: ["realtime"],
};

/** Returns a function that returns true for the services that a suite with this configuration needs. */
function neededServices({
  config,
  services,
}: Pick<SuiteOptions<Backends>, "config" | "services">): (name: ServiceName) => boolean {
  const kinds = "models" in config && typeof config.models === "object" ? Object.values(config.models ?? {}) : [];
  const has = (kind: string): boolean => kinds.some((model: unknown) => isOfKind(model, kind));
  return (name) => services === "all" || (kindsOfArea[name]?.some(has) ?? true);
}

function isOfKind(model: unknown, kind: string): boolean {
  return typeof model === "object" && model !== null && "kind" in model && model.kind === kind;
}

/** Default limits of a suite, with shorter waits than in production. */
const quickLimits: Limits = {
  control: { configuration: { pollMs: 200 } },
  ledger: { ...quickRecording.ledger, rounds: { roundMs: 200, leftBehindMs: 500, afterOutageMs: 1_000 } },
};

/** Starts the services, and backends if necessary. Waits until calls can be served. */
export async function startSuite<B extends Backends = Backends>(options: SuiteOptions<B>): Promise<Suite<B>> {
  const backends = options.backends ?? ((await startBackends()) as B);
  const folder = mkdtempSync(join(tmpdir(), "modelgate-suite-"));
  const config = join(folder, "modelgate.yaml");
  const configure = (value: object | string): void =>
    writeFileSync(config, typeof value === "string" ? value : stringify(value));
  configure(options.config);
  const ports = portsOf(await freePorts(serviceNames.length * 2));
  const secret = randomBytes(24).toString("base64url");
  const program = options.limits === "product" ? "gateway" : "limited";
  const settings: ServiceSettings = {
    ports,
    redisUrl: backends.redisUrl,
    natsUrl: backends.natsUrl,
    secret,
    config,
    host: "127.0.0.1",
    env: {
      LOG_LEVEL: "info",
      DRAIN_MS: "5000",
      CONFIG_VARIABLES: "SIMULATOR_URL",
      MODELGATE_DATA: folder,
      ...(options.limits === "product"
        ? {}
        : { [limitsVariable]: JSON.stringify(withLimits(quickLimits, options.limits)) }),
      ...options.env,
    },
    program: options.sources ? sourceProgram(program) : builtProgram(program),
    ...(options.envOf === undefined ? {} : { envOf: options.envOf }),
    ...(options.fresh || options.sources ? {} : { spawn: spawnWarm }),
  };
  const children = new Map<ServiceName, Child>();
  const edgeUrl = addressOf(ports, "edge");
  const opsUrl = (name: ServiceName): string =>
    `http://127.0.0.1:${ports[children.get(name) === children.get("edge") ? "edge" : name].ops}`;

  const shape = options.shape ?? (process.env["SUITE_SHAPE"] === "apart" ? "apart" : "one");
  // A single process always runs all services, so that the next suite can reuse it.
  const hasAllServices = shape === "one" && !options.fresh;
  const startedServices: readonly ServiceName[] = hasAllServices
    ? serviceNames
    : serviceNames.filter(neededServices(options));
  const servicesTogether: readonly ServiceName[] =
    shape === "one" ? startedServices.filter((name) => name !== "simulator") : [];

  async function start(name: ServiceName): Promise<void> {
    const isTogether = servicesTogether.includes(name);
    const { child, ready } = isTogether ? startTogether(servicesTogether, settings) : startService(name, settings);
    for (const member of isTogether ? servicesTogether : [name]) children.set(member, child);
    await ready.catch((error: unknown) => {
      throw new Error(`${name} did not become ready:\n${child.logs()}`, { cause: error });
    });
  }
  async function stop(): Promise<void> {
    await Promise.all([...new Set(children.values())].map(finishService));
    await backends[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }

  const operatorEnv = { CONTROL_URL: addressOf(ports, "control"), MODELGATE_SECRET: secret };
  const gatectl: Suite["gatectl"] = (...words) => runGatectl(words, operatorEnv);
  try {
    const [first] = servicesTogether;
    const apart = startedServices.filter((name) => !servicesTogether.includes(name));
    const processes = first === undefined ? apart : [first, ...apart];
    await Promise.all(processes.map(start));
    for (const name of processes.filter((each) => !unawaitedServices.has(each)))
      await until(`${name} to be ready`, async () => (await fetch(`${opsUrl(name)}/readyz`)).ok);
    await awaitAccounts(options.config, gatectl);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    shape,
    edgeUrl,
    controlUrl: addressOf(ports, "control"),
    opsUrl,
    secret,
    backends,
    simulator: simulatorAt(addressOf(ports, "simulator")),
    process(name) {
      const child = children.get(name);
      if (child === undefined) throw new Error(`${name} was not started`);
      return child;
    },
    restart: start,
    configure,
    gatectl,
    async ask(...words) {
      const { status, stdout, stderr } = await gatectl(...words, "--json");
      if (status !== 0) throw new Error(`gatectl ${words.join(" ")} ended with ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Waits until the accounts of a configuration have their API keys, which the ledger creates after control has published
 * the configuration.
 */
async function awaitAccounts(config: object, gatectl: Suite["gatectl"]): Promise<void> {
  const accounts: object = "accounts" in config && typeof config.accounts === "object" ? (config.accounts ?? {}) : {};
  for (const [id, account] of Object.entries(accounts)) {
    const count = Array.isArray(account?.tokens) ? account.tokens.length : 0;
    await until(`the tokens of ${id}`, async () => {
      const { status, stdout } = await gatectl("token", "list", id, "--json");
      return status === 0 && JSON.parse(stdout).length >= count;
    });
  }
}

/** Starts a suite on servers of this machine, which a test may stop. */
export async function startLocalSuite(
  options: Omit<SuiteOptions<LocalBackends>, "backends">,
): Promise<Suite<LocalBackends>> {
  return startSuite({ ...options, backends: await startLocalBackends() });
}
