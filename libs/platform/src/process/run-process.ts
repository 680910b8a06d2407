import { createLogger, type Logger } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { StartError } from "../start-error.ts";
import { openTracing } from "../tracing.ts";
import { readVariables } from "../variables.ts";
import { exitAfterTimeout, lastStepsMs, untilStopped, type Life } from "./life.ts";
import { ProcessServices } from "./process-services.ts";
import type { Service } from "./service.ts";
import { Shared } from "./shared.ts";

/** Name of a process that runs several services, in its log, metrics and spans. */
const severalName = "gateway";

/**
 * Runs services as one process from its start to its exit: environment, log, metrics, probes on a second port, the
 * services, and the drain. On SIGTERM, SIGINT or the end of the parent process: not ready → no new work → open requests
 * finish within DRAIN_MS → services are closed, then their shared parts → exit. A failed start prints its reason. A
 * shutdown step that does not return (for example because all stores are unavailable) is limited: `lastStepsMs` after
 * the drain the process logs the step and exits with 1. The ledger completes the rest: holds through their leases,
 * events through the outbox. A worker shares its ports with others of its program.
 */
export async function runProcess(load: () => Promise<readonly Service[]>, worker?: number): Promise<void> {
  const stopped = untilStopped();
  let name = severalName;
  let closeLog = (): Promise<void> => Promise.resolve();
  try {
    const services = await load();
    const [first] = services;
    if (first === undefined) throw new StartError("No service was named for this process to run.");
    if (services.length === 1) ({ name } = first);
    const declared = readVariables((read) => services.map((service) => ({ ...service, ...service.declare(read) })));
    const { logLevel, collectorUrl } = frameOf(declared);
    const logger = createLogger(name, logLevel);
    closeLog = logger.close;
    const { log } = logger;
    const life: Life = { step: "starting", endWithinMs: lastStepsMs };
    void stopped.then(() => exitAfterTimeout(life, logger));
    const metrics = createMetrics(name, worker);
    await using _tracing = await openTracing(name, collectorUrl, log);
    let problems = (): Promise<Readonly<Record<string, string>>> => Promise.resolve({});
    await using shared = new Shared(log, {
      services: declared.map((service) => service.name),
      problems: () => problems(),
    });
    await using running = new ProcessServices(declared, {
      log,
      metrics,
      shared,
      worker,
      ofService: logger.ofService,
    });
    try {
      await running.open();
    } catch (error) {
      report(name, error);
      exitAfterTimeout(life, logger); // a part that is still opening may never become available to be closed
      return;
    }
    problems = () => running.problems();
    life.endWithinMs = running.drainMs + lastStepsMs;
    announce(log, running);
    log.info({ signal: await stopped }, "draining");
    life.step = "draining";
    await running.drain();
    life.step = "closing what it holds";
  } catch (error) {
    report(name, error);
  } finally {
    await closeLog();
    if (process.connected) process.disconnect?.();
  }
}

/** Returns the frame of the first service; all services of a process read the same values. */
function frameOf<Frame>([first]: readonly { readonly frame: Frame }[]): Frame {
  if (first === undefined) throw new StartError("No service was named for this process to run.");
  return first.frame;
}

/** Reports why a start failed, or which error ended the process, and sets the exit status. */
export function report(name: string, error: unknown): void {
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${name}: ${error instanceof StartError ? error.message : words}\n`);
}

/** Reports the ports to the log, and to the parent process if there is one. */
function announce(log: Logger, { ports, opsPort }: ProcessServices): void {
  log.info({ ports, opsPort }, "ready");
  if (process.connected) process.send?.({ ready: true, ports, opsPort });
}
