/** Minimum and maximum ms between two checks. */
const [minPauseMs, maxPauseMs] = [20, 200];

/**
 * Waits until a check returns a value other than false, null or undefined, and returns it. `expected` describes the
 * event in the error message.
 */
export async function until<T>(
  expected: string,
  check: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<NonNullable<T>, false>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const begin = Date.now();
    const found = await check();
    if (isTruthy(found)) return found;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms for ${expected}`);
    // A check that takes long must not occupy a core until it succeeds.
    const pause = Math.min(Math.max(Date.now() - begin, minPauseMs), maxPauseMs);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function isTruthy<T>(found: T): found is Exclude<NonNullable<T>, false> {
  return found !== undefined && found !== null && found !== false;
}
