import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim } from "../../build/claim.mjs";
import { throwIfInterrupted } from "./interrupt.mjs";
import { tools } from "./places.mjs";
import { say } from "./say.mjs";

const longestMs = 15 * 60_000;
/**
 * Pause in ms between two attempts. Each one takes a random part of it, so that two bootstraps do not collide again.
 */
const lookAgainMs = 200;

/** Runs a step while no other bootstrap runs one. */
export async function locked(step) {
  mkdirSync(tools, { recursive: true });
  const until = Date.now() + longestMs;
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
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs * (0.5 + Math.random())));
    throwIfInterrupted();
  }
}
