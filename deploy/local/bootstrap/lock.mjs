import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim } from "../../build/claim.mjs";
import { throwIfInterrupted } from "./interrupt.mjs";
import { tools } from "./places.mjs";
import { say } from "./say.mjs";

const maxWaitMs = 15 * 60_000;
/**
 * Average pause in ms between two attempts. Each pause is random, so that two bootstraps do not collide again.
 */
const retryMs = 200;

/** Runs a step while no other bootstrap runs one. */
export async function locked(step) {
  mkdirSync(tools, { recursive: true });
  const until = Date.now() + maxWaitMs;
  let said = false;
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
    if (!said) say("another preparation is under way; waiting for it");
    said = true;
    await new Promise((resolve) => setTimeout(resolve, retryMs * (0.5 + Math.random())));
    throwIfInterrupted();
  }
}
