import type { createLogger } from "../log.ts";

/**
 * Maximum ms from the end of the drain to the exit of the process. The sum of this time and the log's `maxCloseMs` is
 * shorter than the kubelet's grace period before SIGKILL.
 */
export const lastStepsMs = 8_000;

export interface ProcessState {
  step: "starting" | "draining" | "closing connections";
  endWithinMs: number;
}

/** Exits when the maximum time for shutdown has passed, even if a step hangs. */
export function exitAfterTimeout(state: ProcessState, { log, close }: ReturnType<typeof createLogger>): void {
  const end = async (): Promise<void> => {
    log.fatal({ step: state.step, endWithinMs: state.endWithinMs }, "shutdown timed out: exiting anyway");
    await close();
    // A step that hangs would keep the process running. Events have had enough time to be published.
    // oxlint-disable-next-line no-restricted-properties
    process.exit(process.exitCode ?? 1);
  };
  setTimeout(() => void end(), state.endWithinMs).unref();
}

/** Resolves with the reason to stop: a signal, the end of the parent process, or an uncaught error. */
export function waitForStop(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(signal));
  if (process.connected) process.once("disconnect", () => resolve("parent gone"));
  const fatal = (error: unknown): void => {
    process.exitCode = 1;
    process.stderr.write(`uncaught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    resolve("uncaught error");
  };
  process.stderr.on("error", () => undefined); // if stderr is closed (EPIPE), the error cannot be reported
  process.on("uncaughtException", fatal);
  process.on("unhandledRejection", fatal);
  return promise;
}
