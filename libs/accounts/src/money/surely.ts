/** Pauses between the tries, in ms: Redis is given about a minute to come back. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/**
 * Repeats a step that is harmless to repeat through an outage of Redis, for about a minute. Rejects with the last error:
 * the hold's lease then runs out, and the sweep settles it at its floor.
 */
export async function surely<Reply>(step: () => Promise<Reply>): Promise<Reply> {
  for (const pauseMs of pausesMs) {
    try {
      return await step();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return step();
}
