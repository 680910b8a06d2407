import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { bundlePrograms } from "@modelgate/build";
import { checkStores } from "./check-stores.ts";
import { banner } from "./banner.ts";
import { CannotStart, failureText, lastLines } from "./cannot-start.ts";
import { ChildEnded, type Child } from "./child.ts";
import { serviceMessagePrinter } from "./service-messages.ts";
import { consoleLink } from "./console-link.ts";
import { freePorts, isFree } from "./ports.ts";
import { Restarts } from "./restarts.ts";
import { claimFolder, type FolderClaim } from "./run-file.ts";
import { natsAt, redisAt, startNats, startRedis } from "./servers.ts";
import { addressOf, portsOf, serviceNames, startService, startTogether, type ProcessName } from "./services.ts";
import { wantedPorts } from "./wanted-ports.ts";

const root = join(import.meta.dirname, "../..");
/** Environment without empty variables, which are treated as not set. */
const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
const data = resolve(root, env["MODELGATE_DATA"] ?? ".data");
const demo = join(root, "deploy/config/demo.yaml");
/** Path of the configuration file; undefined if the configuration is in the books. */
const config = env["MODELGATE_CONFIG"] === undefined ? undefined : resolve(root, env["MODELGATE_CONFIG"]);
const host = env["HOST"] ?? "127.0.0.1";
/** Environment with the edge's default port. */
const portEnv = { PORT: "8080", ...env };

/** Maximum bytes of each event stream in the NATS server of this program. */
const ownNatsBytes = String(128 * 1024 * 1024);

/** Wakes Redis once a second. The default, ten times a second, is most of the CPU time of an idle server. */
const ownRedisArguments = ["--hz", "1"];

/** Thrown if Ctrl-C is pressed before everything is ready. There is no error message then. */
class EndRequested extends Error {}

const gatewayServices = serviceNames.filter((name) => name !== "simulator");
const startedAt = performance.now();
const services = new Map<ProcessName, Child>();
const servers: Child[] = [];
const ending = Promise.withResolvers<"requested" | Child>();
const printServiceMessage = serviceMessagePrinter((text) => process.stderr.write(text));
const restarts = new Restarts((text) => process.stderr.write(text));
let folder: FolderClaim | undefined;
let areStoresReady = false;

process.on("SIGINT", stopOrInsist);
process.on("SIGTERM", () => ending.resolve("requested"));
// The bootstrap has ended, so no signal can arrive.
process.once("disconnect", () => ending.resolve("requested"));
process.channel?.unref(); // the listener must not keep this process alive

try {
  await start();
  const endReason = await ending.promise;
  if (endReason !== "requested")
    throw new CannotStart(
      `${endReason.name} exited unexpectedly with ${await endReason.ended}${lastLines(endReason.logs())}`,
    );
  process.stderr.write("\nstopping: open requests finish first (press Ctrl-C again to stop immediately)\n");
} catch (error) {
  if (!(error instanceof EndRequested)) {
    process.exitCode = 1;
    process.stderr.write(`\n${failureText(error)}\n`);
  }
} finally {
  restarts[Symbol.dispose]();
  await stopAll();
}

/** Starts everything, waits until all is ready, and prints the banner. */
async function start(): Promise<void> {
  await checkPlace();
  mkdirSync(join(data, "logs"), { recursive: true });

  const [redisPort = 0, natsPort = 0, ...free] = await freePorts(2 + serviceNames.length * 2);
  const secret = env["MODELGATE_SECRET"] ?? readOrCreateSecret();
  const [redisUrl, natsUrl] = [env["REDIS_URL"] ?? redisAt(redisPort), env["NATS_URL"] ?? natsAt(natsPort)];
  const stores = unlessEnding(
    Promise.all([
      env["REDIS_URL"] === undefined ? startServer(startRedis, "redis", redisPort, ownRedisArguments) : undefined,
      env["NATS_URL"] === undefined ? startServer(startNats, "nats", natsPort) : undefined,
    ]),
  );
  const built = Promise.all([bundlePrograms(), buildConsole()]);
  // A failure of the servers is reported without waiting for the build.
  await unlessEnding(Promise.race([built, stores.then(() => built)]));
  const ports = portsOf(free, portEnv);
  const url = `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${ports.edge.main}`;
  const processNames: readonly ProcessName[] = usesSimulator() ? ["gateway", "simulator"] : ["gateway"];
  // NATS_KEEP_BYTES is small here, because JetStream reserves this disk space for every stream.
  const more = {
    MODELGATE_DATA: data,
    ...(env["MODELGATE_SERVICES"] === undefined ? {} : { MODELGATE_SERVICES: env["MODELGATE_SERVICES"] }),
    MODELGATE_SEED: env["MODELGATE_SEED"] ?? demo,
    ...(env["NATS_URL"] === undefined ? { NATS_KEEP_BYTES: env["NATS_KEEP_BYTES"] ?? ownNatsBytes } : {}),
  };
  const logFile = (name: ProcessName): string => join(data, "logs", `${name}.log`);
  // Until the servers answer, services report them as unavailable.
  const onServiceMessage = (name: string, words: string): void => {
    if (areStoresReady) printMessage(name, words);
  };
  const settings = { ports, redisUrl, natsUrl, secret, config, host, env: more, logFile, onServiceMessage };
  const startOne = (name: ProcessName): ReturnType<typeof startService> => {
    const started = name === "gateway" ? startTogether(gatewayServices, settings) : startService(name, settings);
    services.set(name, started.child);
    return started;
  };
  const started = processNames.map(startOne);
  // If a service ends before all are ready, the start has failed. A service that ends later is restarted.
  let isReady = false;
  for (const { child } of started)
    void child.ended.then(() => {
      if (!isReady) ending.resolve(child);
    });
  await stores;
  areStoresReady = true;
  await unlessEnding(Promise.all(started.map(({ ready }) => ready)));
  await unlessEnding(untilServing(`http://127.0.0.1:${ports.edge.ops}`));
  isReady = true;
  for (const [name, child] of services) restarts.follow(child, () => startOne(name).child);
  folder?.write({
    pid: process.pid,
    edgeUrl: url,
    controlUrl: addressOf(ports, "control"),
    redisUrl,
    natsUrl,
    secret,
  });
  process.stdout.write(
    banner({
      url,
      consoleLink: await consoleLink(addressOf(ports, "control"), secret),
      config: config ?? demo,
      data: relative(process.cwd(), data) || ".",
      seconds: ((performance.now() - startedAt) / 1_000).toFixed(1),
    }),
  );
}

/** Returns the secret of this data folder, which encrypts vendors' keys in its books. */
function readOrCreateSecret(): string {
  const file = join(data, "secret");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    const secret = randomBytes(32).toString("base64url");
    writeFileSync(file, secret, { mode: 0o600 });
    return secret;
  }
}

/** Builds the console if its sources have changed. Everything else works without it. */
function buildConsole(): Promise<void> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, "services/console/build.ts")], (error, _, errors) => {
      if (error !== null) printMessage("control", `The console could not be built: ${errors.trim()}`);
      resolve();
    });
  });
}

/** Returns whether the configuration uses the simulator. */
function usesSimulator(): boolean {
  if (config === undefined) return true;
  try {
    return readFileSync(config, "utf8").includes("${SIMULATOR_URL}");
  } catch {
    return false; // the service that reads the file reports the error
  }
}

/** Checks for problems that a person can correct. */
async function checkPlace(): Promise<void> {
  const wanted = wantedPorts(portEnv, usesSimulator());
  await claimData();
  await unlessEnding(checkStores(env));
  for (const [name, port] of wanted)
    if (port !== 0 && !(await isFree(port, name === "PORT" ? host : "127.0.0.1")))
      throw new CannotStart(
        `Port ${port} is in use: stop the program that listens on it, or set ${name} to another one.`,
      );
}

/**
 * Claims the data folder. If all stores are elsewhere, two suites may share the folder. gatectl then calls the suite
 * that started first.
 */
async function claimData(): Promise<void> {
  const claimed = await claimFolder(data).catch((error: unknown) => {
    throw new CannotStart(`MODELGATE_DATA cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!("heldBy" in claimed)) {
    folder = claimed;
    return;
  }
  const message = `modelgate is already running on ${relative(root, data)} (process ${claimed.heldBy})`;
  if (env["REDIS_URL"] === undefined || env["NATS_URL"] === undefined)
    throw new CannotStart(`${message}: stop it, or set MODELGATE_DATA to another folder.`);
  process.stderr.write(`${message}; gatectl will find that one: set MODELGATE_DATA to keep them apart.\n`);
}

async function untilServing(probes: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    const answer = await fetch(`${probes}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new CannotStart(`The gateway did not become ready: ${probes}/readyz shows the reason.`);
}

async function startServer(
  begin: typeof startRedis,
  name: string,
  serverPort: number,
  more: readonly string[] = [],
): Promise<void> {
  try {
    const server = await begin({
      port: serverPort,
      folder: join(data, name),
      keep: true,
      more,
      logFile: join(data, "logs", `${name}.log`),
      // The server is registered immediately, because it must end if the other server fails.
      onSpawn: (child) => servers.push(child),
    });
    void server.child.ended.then(() => ending.resolve(server.child));
  } catch (error) {
    if (error instanceof ChildEnded)
      throw new CannotStart(`${name} did not start (it ended with ${error.status})${lastLines(error.logs)}`);
    throw new CannotStart(error instanceof Error ? error.message : String(error));
  }
}

/** Prints messages while the suite runs. A failed start is explained at the end. */
function printMessage(name: string, words: string): void {
  if (process.exitCode === undefined) printServiceMessage(name, words);
}

/** Settles like a promise, but rejects if an end is requested or a process ends. */
function unlessEnding<T>(promise: Promise<T>): Promise<T> {
  return Promise.race([promise, ending.promise.then(stopWaiting)]);
}

async function stopWaiting(endReason: "requested" | Child): Promise<never> {
  if (endReason === "requested") throw new EndRequested();
  throw new ChildEnded(endReason.name, await endReason.ended, endReason.logs());
}

/** Ends the gateway first, and the databases last. */
async function stopAll(): Promise<void> {
  const graceMs = Number(env["DRAIN_MS"] ?? 30_000) + 10_000;
  // The simulator last, because the gateway still forwards its answers.
  for (const name of ["gateway", "simulator"] as const) {
    const child = services.get(name);
    // Without its stores, the gateway would wait for them.
    if (!areStoresReady) child?.signal("SIGKILL");
    await child?.stop(graceMs);
  }
  await Promise.all(servers.map((child) => child.stop()));
  folder?.release();
}

function stopOrInsist(): void {
  ending.resolve("requested");
  process.on("SIGINT", () => {
    for (const child of [...services.values(), ...servers]) child.signal("SIGKILL");
  });
}
