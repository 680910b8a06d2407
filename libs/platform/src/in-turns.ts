/** Maximum time for which large work blocks the event loop at once. */
const turnMs = 10;

/** Those who wait for a turn; one is let in each time that the event loop comes round. */
const waiting: (() => void)[] = [];
let isDue = false;

/**
 * Resolves when it is this caller's turn. However many wait, one at a time gets the event loop, so that large bodies
 * together hold it no longer than one of them does.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  schedule();
  return promise;
}

function schedule(): void {
  if (isDue || waiting.length === 0) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    waiting.shift()?.();
    schedule();
  });
}

/**
 * Runs work that is mostly small: its first step at once, and what is left in turns with all other calls. Throws, or
 * rejects with, what it throws.
 */
export function inTurnsIfLong<Result>(work: Iterator<undefined, Result>): Result | Promise<Result> {
  const first = work.next();
  return first.done === true ? first.value : inTurns(work);
}

/** Runs work that pauses after each of its small steps, in turns with all other calls. Rejects with what it throws. */
export async function inTurns<Result>(work: Iterator<undefined, Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const until = performance.now() + turnMs;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
  }
}
