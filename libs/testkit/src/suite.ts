import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
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
import { limitedProgram, limitsVariable, withLimits, type Limits } from "./limits/limits.ts";
import { simulatorAt, type SimulatorClient } from "./simulator-client.ts";
import { until } from "./until.ts";
import { finish, spawnWarm } from "./warm/pool.ts";

export interface SuiteOptions<B extends Backends> {
  /** The configuration, as the YAML would say it; `${SIMULATOR_URL}` works in it. */
  readonly config: object;
  readonly backends?: B;
  /**
   * How the services are laid out: all but the simulator in one process, or each in one of its own; absent: SUITE_SHAPE, or
   * one, which starts for half the CPU. What a test does to one service of several (kills, drains, answers in its place)
   * needs them apart.
   */
  readonly shape?: Shape;
  /** What is started of processes that are apart, or fresh; absent: every service that the configuration has work for. */
  readonly services?: "all";
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  /** Limits of services that are constants elsewhere. */
  readonly limits?: Limits;
  /**
   * Whether its processes are new ones, for a test of what a process has once, as its figures; absent: in a test run they may
   * be some that ran the same programs for an earlier test file.
   */
  readonly fresh?: true;
}

/** How the services of a suite are laid out. */
export type Shape = "one" | "apart";

/** The layouts that the suite can have. */
export const shapes: readonly Shape[] = ["one", "apart"];

/** The whole suite as real processes, for one test file. */
export interface Suite<B extends Backends = Backends> extends AsyncDisposable {
  readonly shape: Shape;
  readonly edgeUrl: string;
  /** The operator's API. */
  readonly controlUrl: string;
  readonly opsUrl: (name: ServiceName) => string;
  readonly secret: string;
  readonly backends: B;
  readonly simulator: SimulatorClient;
  /** The process that a service runs in. */
  process(name: ServiceName): Child;
  /** Starts the process of a service again that has ended, on its old ports. */
  restart(name: ServiceName): Promise<void>;
  /** Puts another configuration in the file's place. */
  configure(config: object | string): void;
  /** Runs gatectl in this process: a process for each takes half a second of CPU. */
  gatectl(
    ...words: readonly string[]
  ): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>;
  /** Runs gatectl with --json and gives what it printed. */
  ask<T = unknown>(...words: readonly string[]): Promise<T>;
}

/** Services that a test needs no more of than their start. */
const unwaited: ReadonlySet<ServiceName> = new Set(["simulator", "ledger", "control"]);

/** The areas that only models of some kinds need: a suite without such models may be started without them. */
const kindsOfArea: Readonly<Partial<Record<string, readonly string[]>>> = {
  media: ["image"],
  video: ["video"],
  audio: ["transcription", "speech"],
  realtime: ["realtime"],
};

/** Whether a suite with that configuration has work for a service. */
function neededBy({
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

/** What a suite need not wait for as long as a real one. */
const quickLimits: Limits = {
  control: { configuration: { pollMs: 200 } },
  ledger: { rounds: { roundMs: 200, leftBehindMs: 500, afterOutageMs: 1_000 } },
};

const root = join(import.meta.dirname, "../../..");

/** Starts Redis, NATS and every service, and waits until the edge serves. */
export async function startSuite<B extends Backends = Backends>(options: SuiteOptions<B>): Promise<Suite<B>> {
  const backends = options.backends ?? ((await startBackends()) as B);
  const folder = mkdtempSync(join(tmpdir(), "modelgate-suite-"));
  const config = join(folder, "modelgate.yaml");
  const configure = (value: object | string): void =>
    writeFileSync(config, typeof value === "string" ? value : stringify(value));
  configure(options.config);
  const ports = portsOf(await freePorts(serviceNames.length * 2));
  const secret = randomBytes(24).toString("base64url");
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
      [limitsVariable]: JSON.stringify(withLimits(quickLimits, options.limits)),
      ...options.env,
    },
    program: limitedProgram,
    ...(options.envOf === undefined ? {} : { envOf: options.envOf }),
    ...(options.fresh ? {} : { spawn: spawnWarm }),
  };
  const children = new Map<ServiceName, Child>();
  const edgeUrl = addressOf(ports, "edge");
  const opsUrl = (name: ServiceName): string =>
    `http://127.0.0.1:${ports[children.get(name) === children.get("edge") ? "edge" : name].ops}`;

  const shape = options.shape ?? (process.env["SUITE_SHAPE"] === "apart" ? "apart" : "one");
  // One process for all runs them all, so that the next suite can have it.
  const isWhole = shape === "one" && !options.fresh;
  const wanted: readonly ServiceName[] = isWhole ? serviceNames : serviceNames.filter(neededBy(options));
  const together: readonly ServiceName[] = shape === "one" ? wanted.filter((name) => name !== "simulator") : [];

  async function start(name: ServiceName): Promise<void> {
    const isTogether = together.includes(name);
    const { child, ready } = isTogether ? startTogether(together, settings) : startService(name, settings);
    for (const each of isTogether ? together : [name]) children.set(each, child);
    await ready.catch((error: unknown) => {
      throw new Error(`${name} did not become ready:\n${child.logs()}`, { cause: error });
    });
  }
  async function stop(): Promise<void> {
    await Promise.all([...new Set(children.values())].map(finish));
    await backends[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }

  const operatorEnv = { CONTROL_URL: addressOf(ports, "control"), MODELGATE_SECRET: secret };
  const gatectl: Suite["gatectl"] = (...words) => runGatectl(words, operatorEnv);
  try {
    const [first] = together;
    const apart = wanted.filter((name) => !together.includes(name));
    const processes = first === undefined ? apart : [first, ...apart];
    await Promise.all(processes.map(start));
    for (const name of processes.filter((each) => !unwaited.has(each)))
      await until(`${name} to be ready`, async () => (await fetch(`${opsUrl(name)}/readyz`)).ok);
    await accountsDeclared(options.config, gatectl);
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
 * Waits until the accounts of a configuration have their tokens: on a machine under load control publishes it before the
 * ledger has created them.
 */
async function accountsDeclared(config: object, gatectl: Suite["gatectl"]): Promise<void> {
  const accounts: object = "accounts" in config && typeof config.accounts === "object" ? (config.accounts ?? {}) : {};
  for (const [id, account] of Object.entries(accounts)) {
    const count = Array.isArray(account?.tokens) ? account.tokens.length : 0;
    await until(`the tokens of ${id}`, async () => {
      const { status, stdout } = await gatectl("token", "list", id, "--json");
      return status === 0 && JSON.parse(stdout).length >= count;
    });
  }
}

/** `runGatectl` of control, as far as a suite calls it. */
type Run = (
  words: readonly string[],
  terminal: {
    readonly stdout: PassThrough;
    readonly stderr: PassThrough;
    readonly env: Readonly<Record<string, string>>;
    readonly stdin: PassThrough;
  },
) => Promise<number>;

/** Runs gatectl in this process: what it wrote, and its exit status. */
async function runGatectl(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  // By its path, as services are started: control is above this package.
  const { runGatectl: run }: { readonly runGatectl: Run } = await import(
    join(root, "services/control/src/gatectl/run.ts")
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // Read as it is written: an export waits for its reader.
  const [written, complained] = [text(stdout), text(stderr)];
  const status = await run(words, { stdin: new PassThrough(), stdout, stderr, env });
  stdout.end();
  stderr.end();
  return { status, stdout: await written, stderr: await complained };
}

/** A suite on servers of this machine, which a test may take down, and of new processes. */
export async function startLocalSuite(
  options: Omit<SuiteOptions<LocalBackends>, "backends" | "fresh">,
): Promise<Suite<LocalBackends>> {
  return startSuite({ ...options, backends: await startLocalBackends(), fresh: true });
}
