/** Share of a pause that must be left of it at least; with less, the beat after the next one is waited for. */
const minLeft = 0.25;

/**
 * Milliseconds until a process's next beat of `ms`. Those who look round at beats, and not each at a moment of its own,
 * wake a process at rest once for all of them: a waking costs it a third of a millisecond, whatever it is for. Beats are
 * counted from the process's start, so that processes do not look all at once.
 */
export function untilBeat(ms: number): number {
  const left = ms - (performance.now() % ms);
  return Math.ceil(left < ms * minLeft ? left + ms : left);
}

/** Calls `look` at each beat until disposed; keeps no process alive. */
export function onBeat(ms: number, look: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => {
      wait();
      look();
    }, untilBeat(ms)).unref();
  };
  wait();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
