import type { EventEmitter } from "node:events";
import type { RequestListener } from "node:http";
import { listen, type HttpServer, type UpgradeHandler } from "./http-server.ts";
import { createLogger, type Logger } from "./log.ts";
import { activeRequests, createMetrics, type Registry } from "./metrics.ts";
import { opsHandler } from "./ops.ts";
import type { ServiceVariables } from "./service-variables.ts";
import { StartError } from "./start-error.ts";
import { openTracing } from "./tracing.ts";
import { readVariables } from "./variables.ts";

/** What a service is made with. */
export interface ServiceContext<Env> {
  /** The values of the service's own variables. */
  readonly env: Env;
  /** Longest time that open requests get at the end of the process. */
  readonly drainMs: number;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** An open service. Disposed last, after open requests have ended. */
export interface Service extends AsyncDisposable {
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
  /** Ends connections that would stay open for long in their own way, within DRAIN_MS. */
  readonly drain?: () => Promise<void>;
  /** Throws why the service cannot serve now; /readyz shows it. */
  readonly ready?: () => void | Promise<void>;
}

/**
 * What the end of a process may take after its drain: last settlements, last events. Together with its last lines
 * (log.ts) it is over before the kubelet's SIGKILL.
 */
const lastStepsMs = 8_000;

/**
 * Runs a service from its start to its end: environment, log, metrics, probes on a second port, the service itself, and
 * the drain: on SIGTERM, SIGINT or the loss of the parent process → not ready → no new work → open requests finish
 * within DRAIN_MS → dependencies are disposed → exit. A failed start prints its reason. A step of the end that hangs
 * (stores that vanished together) is bounded: `lastStepsMs` after the drain the process logs the step and exits with 1.
 * The ledger finishes what it leaves: holds by their leases, events by the outbox.
 */
export async function runService<Env>(
  { name, declare }: ServiceVariables<Env>,
  open: (context: ServiceContext<Env>) => Promise<Service>,
): Promise<void> {
  const stopped = untilStopped();
  let closeLog = (): Promise<void> => Promise.resolve();
  try {
    const { frame, env } = readVariables(declare);
    const { host, port, opsPort, logLevel, drainMs, collectorUrl } = frame;
    const logger = createLogger(name, logLevel);
    closeLog = logger.close;
    const { log } = logger;
    const life: Life = { step: "starting", endWithinMs: lastStepsMs };
    void stopped.then(() => endSurely(life, logger));
    const metrics = createMetrics(name);
    await using _tracing = await openTracing(name, collectorUrl, log);
    await using service = await open({ env, drainMs, log, metrics });
    const state = { draining: false };
    const ops = await listen({
      host,
      port: opsPort,
      handler: opsHandler(metrics, () => (state.draining ? draining() : service.ready?.())),
      drainMs: 0,
    });
    const server = await listen({ host, port, ...counted(service), drainMs });
    life.endWithinMs = drainMs + lastStepsMs;
    announce(log, server, ops);
    log.info({ signal: await stopped }, "draining");
    state.draining = true;
    life.step = "draining";
    await Promise.all([service.drain?.(), server.drain()]);
    await ops.drain();
    life.step = "closing what it holds";
  } catch (error) {
    process.exitCode = error instanceof StartError ? error.exitCode : 1;
    process.stderr.write(
      `${name}: ${error instanceof StartError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  } finally {
    await closeLog();
    if (process.connected) process.disconnect?.();
  }
}

/** What a process is doing, and how long its end may take from the moment it is asked for. */
interface Life {
  step: "starting" | "draining" | "closing what it holds";
  endWithinMs: number;
}

/** Exits when the time for an orderly end is over, whatever it still waits for. */
function endSurely(life: Life, { log, close }: ReturnType<typeof createLogger>): void {
  const end = async (): Promise<void> => {
    log.fatal({ step: life.step, endWithinMs: life.endWithinMs }, "the end hangs: ended all the same");
    await close();
    // Events had their time to leave, and what hangs would keep the process for ever.
    // oxlint-disable-next-line no-restricted-properties
    process.exit(1);
  };
  setTimeout(() => void end(), life.endWithinMs).unref();
}

/** Counts what is open. */
function counted({ handler, upgrade }: Service): Pick<Service, "handler" | "upgrade"> {
  const count = (until: EventEmitter): void => {
    activeRequests.inc();
    until.once("close", () => activeRequests.dec());
  };
  return {
    handler(request, response) {
      count(response);
      handler(request, response);
    },
    upgrade:
      upgrade === undefined
        ? undefined
        : (request, socket, head) => {
            count(socket);
            upgrade(request, socket, head);
          },
  };
}

function draining(): never {
  throw new Error("draining");
}

/** Reports the ports to the log, and to the parent process if there is one. */
function announce(log: Logger, server: HttpServer, ops: HttpServer): void {
  log.info({ port: server.port, opsPort: ops.port }, "ready");
  if (process.connected) process.send?.({ ready: true, port: server.port, opsPort: ops.port });
}

/** Resolves with the reason to stop: a signal, the loss of the parent process, or an uncaught error. */
function untilStopped(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(signal));
  if (process.connected) process.once("disconnect", () => resolve("parent gone"));
  const fatal = (error: unknown): void => {
    process.exitCode = 1;
    process.stderr.write(`uncaught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    resolve("uncaught error");
  };
  process.stderr.on("error", () => undefined); // stderr is closed (EPIPE): that cannot be reported on stderr
  process.on("uncaughtException", fatal);
  process.on("unhandledRejection", fatal);
  return promise;
}
