/** Minimum and maximum ms between two checks. */
const [minPauseMs, maxPauseMs] = [20, 200];
/** A pause is at least this fraction of the time waited so far. */
const waitShare = 10;

/**
 * Waits until a check returns a value other than false, null or undefined, and returns it. `expected` describes the
 * event in the error message.
 */
export async function until<T>(
  expected: string,
  check: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<NonNullable<T>, false>> {
  const start = Date.now();
  for (;;) {
    const begin = Date.now();
    const found = await check();
    if (isTruthy(found)) return found;
    const now = Date.now();
    if (now > start + withinMs) throw new Error(`waited ${withinMs} ms for ${expected}`);
    // A check that takes long must not occupy a core until it succeeds, and a long wait needs few checks.
    const pause = Math.min(Math.max(now - begin, (now - start) / waitShare, minPauseMs), maxPauseMs);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function isTruthy<T>(found: T): found is Exclude<NonNullable<T>, false> {
  return found !== undefined && found !== null && found !== false;
}
