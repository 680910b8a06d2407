import type { createLogger } from "../log.ts";

/**
 * Maximum time from the drain of a process to its end: last settlements, last events. Together with its last log lines
 * (log.ts) it ends before the kubelet's SIGKILL.
 */
export const lastStepsMs = 8_000;

/** The state of a process, and the maximum time of its end from the moment of the signal. */
export interface Life {
  step: "starting" | "draining" | "closing what it holds";
  endWithinMs: number;
}

/** Exits when the time for an orderly end is over, even if work is left. */
export function exitAfterTimeout(life: Life, { log, close }: ReturnType<typeof createLogger>): void {
  const end = async (): Promise<void> => {
    log.fatal({ step: life.step, endWithinMs: life.endWithinMs }, "shutdown timed out: exiting anyway");
    await close();
    // Events had their time to leave, and what hangs would keep the process for ever.
    // oxlint-disable-next-line no-restricted-properties
    process.exit(process.exitCode ?? 1);
  };
  setTimeout(() => void end(), life.endWithinMs).unref();
}

/** Resolves with the reason to stop: a signal, the loss of the parent process, or an uncaught error. */
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
