import type { Child } from "./child.ts";

/** First and maximum pause, in ms, before a service that died is started again; each pause is twice the previous one. */
const [firstPauseMs, maxPauseMs] = [500, 15_000];
/** A service that lived for so long has recovered: its next pause is the first again. */
const recoveredAfterMs = 60_000;

/** Gives the pauses between the starts of one service, each from how long the process lived. */
export function growingPauses(): (livedMs: number) => number {
  let next = firstPauseMs;
  return (livedMs) => {
    if (livedMs >= recoveredAfterMs) next = firstPauseMs;
    const pause = next;
    next = Math.min(next * 2, maxPauseMs);
    return pause;
  };
}

/** Starts services again that end by themselves, as an orchestrator does; every one is said in one line. */
export class Restarts implements Disposable {
  readonly #say: (text: string) => void;
  readonly #waiting = new Set<NodeJS.Timeout>();
  #isOver = false;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Follows a service from now on; `start` starts its next process. */
  follow(child: Child, start: () => Child): void {
    this.#follow(child, start, growingPauses());
  }

  #follow(child: Child, start: () => Child, pauseAfter: (livedMs: number) => number): void {
    const startedAt = performance.now();
    void child.ended.then((status) => {
      if (this.#isOver) return;
      const pauseMs = pauseAfter(performance.now() - startedAt);
      this.#say(`${child.name} ended by itself with ${status}: started again in ${pauseMs / 1_000} s\n`);
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        this.#follow(start(), start, pauseAfter);
      }, pauseMs);
      this.#waiting.add(timer);
    });
  }

  /** Starts nothing any more: what ends now was asked to. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const timer of this.#waiting) clearTimeout(timer);
  }
}
