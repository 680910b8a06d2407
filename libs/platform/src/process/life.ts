import type { createLogger } from "../log.ts";

/**
 * Maximum ms from the drain of a process to its exit: last settlements, last events. Together with the last log lines
 * (log.ts) this is within the kubelet's grace period before SIGKILL.
 */
export const lastStepsMs = 8_000;

/** State of a process, and the maximum time from the stop signal to its exit. */
export interface Life {
  step: "starting" | "draining" | "closing what it holds";
  endWithinMs: number;
}

/** Exits when the time for an orderly shutdown is over, even if work is left. */
export function exitAfterTimeout(life: Life, { log, close }: ReturnType<typeof createLogger>): void {
  const end = async (): Promise<void> => {
    log.fatal({ step: life.step, endWithinMs: life.endWithinMs }, "shutdown timed out: exiting anyway");
    await close();
    // Events had time to be published, and a step that hangs would keep the process running for ever.
    // oxlint-disable-next-line no-restricted-properties
    process.exit(process.exitCode ?? 1);
  };
  setTimeout(() => void end(), life.endWithinMs).unref();
}

/** Resolves with the reason to stop: a signal, the end of the parent process, or an uncaught error. */
export function untilStopped(): Promise<string> {
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
