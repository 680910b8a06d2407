/** Maximum ms for which one caller blocks the event loop before it waits for its next turn. */
const turnMs = 10;

/** Callers that wait for a turn. One of them continues in each iteration of the event loop. */
const waitingCallers: (() => void)[] = [];
let isScheduled = false;

/**
 * Resolves when it is this caller's turn. In each iteration of the event loop only one waiting caller continues.
 * Several large bodies together thus block the event loop no longer than one.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waitingCallers.push(resolve);
  schedule();
  return promise;
}

function schedule(): void {
  if (isScheduled || waitingCallers.length === 0) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    waitingCallers.shift()?.();
    schedule();
  });
}

/**
 * Runs work that usually needs one step. Its first step runs synchronously, the other steps in turns with other
 * callers. Throws or rejects with the errors of the work.
 */
export function inTurnsIfLong<Result>(work: Iterator<undefined, Result>): Result | Promise<Result> {
  const first = work.next();
  return first.done === true ? first.value : inTurns(work);
}

/** Runs work that yields after each small step, in turns with other callers. Rejects with the errors of the work. */
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
