import { createLogger, type Logger } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { StartError } from "../start-error.ts";
import { openTracing } from "../tracing.ts";
import { readVariables } from "../variables.ts";
import { exitAfterTimeout, lastStepsMs, waitForStop, type ProcessState } from "./process-state.ts";
import { ProcessServices } from "./process-services.ts";
import type { Service } from "./service.ts";
import { SharedParts } from "./shared.ts";

const gatewayName = "gateway";

/**
 * Runs services as one process until a stop signal. Then open requests may finish, and the services are closed. If a
 * step hangs, the process exits `endMs` after the maximum duration of the drain. `worker` is set if several processes
 * share ports.
 */
export async function runProcess(
  load: () => Promise<readonly Service[]>,
  worker?: number,
  endMs = lastStepsMs,
): Promise<void> {
  const stopped = waitForStop();
  let name = gatewayName;
  let closeLog = (): Promise<void> => Promise.resolve();
  try {
    const services = await load();
    const [first] = services;
    if (first === undefined) throw new StartError("No service was named for this process to run.");
    if (services.length === 1) ({ name } = first);
    const declared = readVariables((read) => services.map((service) => ({ ...service, ...service.declare(read) })));
    const { logLevel, collectorUrl } = commonOf(declared);
    const logger = createLogger(name, logLevel);
    closeLog = logger.close;
    const { log } = logger;
    const state: ProcessState = { step: "starting", endWithinMs: endMs };
    void stopped.then(() => exitAfterTimeout(state, logger));
    const metrics = createMetrics(name, worker);
    await using _tracing = await openTracing(name, collectorUrl, log);
    let problems = (): Promise<Readonly<Record<string, string>>> => Promise.resolve({});
    await using shared = new SharedParts(log, {
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
      reportFailure(name, error);
      exitAfterTimeout(state, logger); // a service that is still opening cannot be closed
      return;
    }
    problems = () => running.problems();
    state.endWithinMs = running.drainMs + endMs;
    reportPorts(log, running);
    log.info({ signal: await stopped }, "draining");
    state.step = "draining";
    await running.drain();
    state.step = "closing connections";
  } catch (error) {
    reportFailure(name, error);
  } finally {
    await closeLog();
    if (process.connected) process.disconnect?.();
  }
}

/** Returns the first service's common variables. All services of a process have the same log level and collector. */
function commonOf<Common>([first]: readonly { readonly common: Common }[]): Common {
  if (first === undefined) throw new StartError("No service was named for this process to run.");
  return first.common;
}

/** Writes to stderr why a process ended, and sets the exit status. */
export function reportFailure(name: string, error: unknown): void {
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${name}: ${error instanceof StartError ? error.message : message}\n`);
}

function reportPorts(log: Logger, { ports, opsPort }: ProcessServices): void {
  log.info({ ports, opsPort }, "ready");
  if (process.connected) process.send?.({ ready: true, ports, opsPort });
}
