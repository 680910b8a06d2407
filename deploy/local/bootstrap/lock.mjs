import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim } from "../../build/claim.mjs";
import { throwIfInterrupted } from "./interrupt.mjs";
import { tools } from "./places.mjs";
import { printProgress } from "./progress.mjs";

const maxWaitMs = 15 * 60_000;
/**
 * Average pause in ms between two attempts. Each pause is random, so that two bootstraps do not collide again.
 */
const retryMs = 200;

/** Runs a step while no other bootstrap runs one. */
export async function locked(step) {
  mkdirSync(tools, { recursive: true });
  const until = Date.now() + maxWaitMs;
  let isReported = false;
  for (;;) {
    const { heldBy, release } = claim(tools, "lock");
    if (release !== undefined) {
      try {
        return await step();
      } finally {
        release();
      }
    }
    if (Date.now() > until)
      throw new Error(`Another preparation (process ${heldBy}) holds ${join(tools, "lock.*")} for too long: stop it.`);
    if (!isReported) printProgress("another preparation is under way; waiting for it");
    isReported = true;
    await new Promise((resolve) => setTimeout(resolve, retryMs * (0.5 + Math.random())));
    throwIfInterrupted();
  }
}
