/** Minimum wait as a share of the interval. If the next tick is nearer, the one after it is used. */
const minShareLeft = 0.25;

/**
 * Returns the ms until the next tick of an interval. Timers with the same interval fire together, because each wake-up
 * of an idle process costs a third of a millisecond.
 */
export function msUntilSharedTick(ms: number): number {
  const remainingMs = ms - (performance.now() % ms);
  return Math.ceil(remainingMs < ms * minShareLeft ? remainingMs + ms : remainingMs);
}

/** Calls `run` at each tick until the result is disposed. The timer does not keep the process running. */
export function runOnSharedTick(ms: number, run: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => {
      wait();
      run();
    }, msUntilSharedTick(ms)).unref();
  };
  wait();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
