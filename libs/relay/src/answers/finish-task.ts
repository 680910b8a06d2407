import { setTimeout } from "node:timers/promises";
import { Failure } from "@modelgate/contracts";
import type { VendorLink } from "./exchange.ts";

/** Pauses between polls, in ms: short at first because most images are finished quickly. */
const firstPauseMs = 300;
const longestPauseMs = 2_000;
const pauseGrowth = 1.5;
/** Number of failed polls in a row after which the task is given up. */
const maxFailedPolls = 3;
/** Status of a poll that was refused because it came too early. */
const tooMany = 429;

/**
 * Waits until a vendor's task has finished, or its client disconnects. Throws Failure upstream_timeout if it takes
 * longer than `waitMs`, or the task's failure. A task is never started again, because the vendor may still be working
 * on it. `parse` returns undefined for a task that has not finished.
 */
export async function finishTask<Answer>(
  task: string,
  vendor: VendorLink,
  parse: (answer: Buffer) => Promise<Answer | undefined>,
  waitMs: number,
): Promise<Answer> {
  const deadline = Date.now() + waitMs;
  let failed = 0;
  for (let pause = firstPauseMs; Date.now() < deadline; pause = Math.min(pause * pauseGrowth, longestPauseMs)) {
    await setTimeout(pause, undefined, { signal: vendor.signal });
    const seen = await poll(vendor, task);
    // A vendor that refuses frequent polls still works on the task.
    if (seen instanceof Failure && seen.status === tooMany) continue;
    failed = seen instanceof Failure ? failed + 1 : 0;
    if (seen instanceof Failure) {
      if (seen.status < 500 || failed >= maxFailedPolls) throw seen;
      continue;
    }
    const answer = await parse(seen);
    if (answer !== undefined) return answer;
  }
  throw new Failure("upstream_timeout", `The vendor's task did not finish within ${waitMs} ms.`);
}

async function poll(vendor: VendorLink, task: string): Promise<Buffer | Failure> {
  try {
    return await vendor.poll(task);
  } catch (error) {
    if (error instanceof Failure && !vendor.signal.aborted) return error;
    throw error;
  }
}
