/**
 * Waits until a check returns a value other than false or undefined, and returns that value. Fails with `what`, the
 * description of the expected event, if that takes too long.
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<NonNullable<T>, false>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await check();
    if (isTruthy(found)) return found;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isTruthy<T>(found: T): found is Exclude<NonNullable<T>, false> {
  return found !== undefined && found !== null && found !== false;
}
