import { untilBeat, type Logger } from "@modelgate/platform";

/** Something that is done again and again. */
export interface Repeated {
  readonly name: string;
  readonly everyMs: number;
  readonly log: Logger;
  /** Level at which the first of several failures is logged; absent: debug. */
  readonly level?: "debug" | "warn";
  /** Does it once; `signal` is aborted when it is to end. */
  step(signal: AbortSignal): Promise<void>;
  /** Undoes what a step reported when one has failed: no figure rather than an old one. */
  failed?(): void;
}

/** Does something at once and then again and again, until disposed; what fails is logged once, and tried again. */
export function repeat({ name, everyMs, log, level = "debug", step, failed }: Repeated): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  let complained = false;
  async function steps(): Promise<void> {
    while (!signal.aborted) {
      try {
        await step(signal);
        complained = false;
      } catch (error) {
        failed?.();
        if (!complained && !signal.aborted) log[level]({ err: error }, `${name} failed; trying again`);
        complained = true;
      }
      await pause(untilBeat(everyMs), signal);
    }
  }
  const going = steps();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await going;
    },
  };
}

/** Waits, or until the signal is aborted. */
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
