/** Minimum share of a pause that must remain until the next beat; with less, the beat after it is used. */
const minLeft = 0.25;

/**
 * Returns the milliseconds until this process's next beat of `ms`. Timers that fire at common beats wake an idle
 * process once for all of them: each wake-up costs a third of a millisecond. Beats are counted from the process's
 * start, so that not all processes wake at the same time.
 */
export function untilBeat(ms: number): number {
  const left = ms - (performance.now() % ms);
  return Math.ceil(left < ms * minLeft ? left + ms : left);
}

/** Calls `run` at each beat until disposed. Does not keep the process running. */
export function onBeat(ms: number, run: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => {
      wait();
      run();
    }, untilBeat(ms)).unref();
  };
  wait();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
