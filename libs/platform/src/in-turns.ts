/** Maximum ms for which large work blocks the event loop in one step. */
const turnMs = 10;

/** Callers that wait for a turn; one of them continues in each iteration of the event loop. */
const waiting: (() => void)[] = [];
let isDue = false;

/**
 * Resolves when it is this caller's turn. Only one waiting caller at a time gets the event loop, so that several large
 * bodies together do not block it longer than one.
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
 * Runs work that is usually small: its first step synchronously, and the rest in turns with all other calls. Throws, or
 * rejects with, the errors of the work.
 */
export function inTurnsIfLong<Result>(work: Iterator<undefined, Result>): Result | Promise<Result> {
  const first = work.next();
  return first.done === true ? first.value : inTurns(work);
}

/**
 * Runs work that pauses after each of its small steps, in turns with all other calls. Rejects with the errors of the
 * work.
 */
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
