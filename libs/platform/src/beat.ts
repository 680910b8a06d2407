/** Minimum share of the interval that must remain until the next beat. If less remains, the following beat is used. */
const minShareLeft = 0.25;

/**
 * Returns the milliseconds until the next beat of an interval. Beats are multiples of `ms` since the start of the
 * process. Timers with the same interval thus fire together and wake an idle process only once; each wake-up costs a
 * third of a millisecond. Different processes have different beats.
 */
export function msUntilBeat(ms: number): number {
  const remainingMs = ms - (performance.now() % ms);
  return Math.ceil(remainingMs < ms * minShareLeft ? remainingMs + ms : remainingMs);
}

/** Calls `run` at each beat until the result is disposed. The timer does not keep the process running. */
export function runOnBeat(ms: number, run: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => {
      wait();
      run();
    }, msUntilBeat(ms)).unref();
  };
  wait();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
