import { setTimeout } from "node:timers/promises";
import { Failure } from "@modelgate/contracts";
import type { ImagesAnswer, ImagesTask } from "@modelgate/wires/images";
import type { VendorLink } from "../answers/exchange.ts";

/** Pauses between polls: short at first, since most images are quick. */
const firstPauseMs = 300;
const longestPauseMs = 2_000;
const pauseGrowth = 1.5;
/** Looks in a row that may fail before the task is given up. */
const mostFailedLooks = 3;
/** Status of a poll that came too soon. */
const tooMany = 429;

/**
 * Waits until a vendor's task is done, for as long as its client does. Throws Failure upstream_timeout where it takes
 * longer than `waitMs`, and what it failed of. A task is never started again: the vendor may be making it still.
 */
export async function finishTask(
  { task }: ImagesTask,
  vendor: VendorLink,
  parse: (answer: Buffer) => Promise<ImagesAnswer | ImagesTask>,
  waitMs: number,
): Promise<ImagesAnswer> {
  const deadline = Date.now() + waitMs;
  let failed = 0;
  for (let pause = firstPauseMs; Date.now() < deadline; pause = Math.min(pause * pauseGrowth, longestPauseMs)) {
    await setTimeout(pause, undefined, { signal: vendor.signal });
    const seen = await poll(vendor, task);
    // A vendor that wants fewer polls works on all the same.
    if (seen instanceof Failure && seen.status === tooMany) continue;
    failed = seen instanceof Failure ? failed + 1 : 0;
    if (seen instanceof Failure) {
      if (seen.status < 500 || failed >= mostFailedLooks) throw seen;
      continue;
    }
    const answer = await parse(seen);
    if (!("task" in answer)) return answer;
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
