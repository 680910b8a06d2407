/** Runs work that pauses after each of its small steps to its end at once: what it works on is known to be small. */
export function atOnce<Result>(work: Iterator<undefined, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
