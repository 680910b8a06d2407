import { msUntilSharedTick, type Logger } from "@modelgate/platform";

export interface PeriodicJob {
  readonly name: string;
  readonly everyMs: number;
  readonly log: Logger;
  /** Level at which the first of consecutive failures is logged. */
  readonly level?: "debug" | "warn";
  /** Runs the job once. `signal` is aborted when the job is disposed. */
  step(signal: AbortSignal): Promise<void>;
  /** Called when a step fails, to remove outdated values. */
  onFailure?(): void;
}

/** Runs a job immediately and then periodically. Logs the first of consecutive failures. */
export function repeatPeriodically({
  name,
  everyMs,
  log,
  level = "debug",
  step,
  onFailure,
}: PeriodicJob): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  let hasLoggedFailure = false;
  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await step(signal);
        hasLoggedFailure = false;
      } catch (error) {
        onFailure?.();
        if (!hasLoggedFailure && !signal.aborted) log[level]({ err: error }, `${name} failed; trying again`);
        hasLoggedFailure = true;
      }
      await pause(msUntilSharedTick(everyMs), signal);
    }
  }
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
    },
  };
}

/** Waits for a time or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
