/** Maximum ms for which one caller blocks the event loop in its turn. */
const turnMs = 10;

/** Waiting callers. One of them continues in each iteration of the event loop. */
const waitingCallers: (() => void)[] = [];
let isScheduled = false;

/**
 * Resolves when it is this caller's turn. One caller continues per iteration of the event loop, so that several callers
 * do not block it longer than one.
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

/** Runs the first step of the work synchronously, and the others in turns with other callers. */
export function inTurnsIfLong<Result>(work: Iterator<undefined, Result>): Result | Promise<Result> {
  const first = work.next();
  return first.done === true ? first.value : inTurns(work);
}

/** Runs work that yields after each small step, in turns with other callers. */
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
