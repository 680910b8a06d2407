/** Minimum share of the interval that must remain until the next tick. If less remains, the tick after it is used. */
const minShareLeft = 0.25;

/**
 * Returns the milliseconds until the next tick of an interval. Ticks are multiples of `ms` since the start of the
 * process. Timers with the same interval thus fire together and wake an idle process only once; each wake-up costs a
 * third of a millisecond. Different processes have different ticks.
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
