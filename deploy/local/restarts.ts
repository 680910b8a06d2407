import type { Child } from "./child.ts";

/** First and maximum pause in ms before a service is restarted. Each is twice as long as the previous one. */
const [firstPauseMs, maxPauseMs] = [500, 15_000];
/** Run time in ms after which the next pause is the first one again. */
const recoveredAfterMs = 60_000;

/** Returns a function for the next pause, by the run time of the last process. */
export function restartPauses(): (livedMs: number) => number {
  let next = firstPauseMs;
  return (livedMs) => {
    if (livedMs >= recoveredAfterMs) next = firstPauseMs;
    const pause = next;
    next = Math.min(next * 2, maxPauseMs);
    return pause;
  };
}

/** Restarts services that end by themselves, and prints a line for each restart. */
export class Restarts implements Disposable {
  readonly #print: (text: string) => void;
  readonly #waiting = new Set<NodeJS.Timeout>();
  #isOver = false;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** Watches the process of a service. `start` starts its next process. */
  follow(child: Child, start: () => Child): void {
    this.#follow(child, start, restartPauses());
  }

  #follow(child: Child, start: () => Child, pauseAfter: (livedMs: number) => number): void {
    const startedAt = performance.now();
    void child.ended.then((status) => {
      if (this.#isOver) return;
      const pauseMs = pauseAfter(performance.now() - startedAt);
      this.#print(`${child.name} exited unexpectedly with ${status}: started again in ${pauseMs / 1_000} s\n`);
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        this.#follow(start(), start, pauseAfter);
      }, pauseMs);
      this.#waiting.add(timer);
    });
  }

  /** Stops restarts, before services are ended on purpose. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const timer of this.#waiting) clearTimeout(timer);
  }
}
