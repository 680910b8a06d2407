import { createHash } from "node:crypto";
import { claimVerification, listAccountIds } from "@modelgate/accounts";
import type { Verification } from "@modelgate/accounts";
import type { Logger, Redis } from "@modelgate/platform";
import { commonTables } from "../api/verify-common.ts";
import { verifications } from "./watch-metrics.ts";

/** Dependencies of the periodic verification. */
export interface VerificationOptions {
  readonly redis: Redis;
  readonly log: Logger;
  /** Time in ms within which every account is verified once. */
  readonly everyMs: number;
  /** Returns false while a lost Redis is being restored. */
  readonly mayVerify: () => boolean;
  readonly verify: (accountId: string) => Promise<Pick<Verification, "ok" | "divergence"> | undefined>;
}

/** Number of checks in a verification period. For a period of a day, that is one a minute. */
export const roundsPerPeriod = 1_440;

/**
 * Returns a step that verifies the accounts that are due. An account's id determines its time in the period. Only one
 * of several ledgers verifies it.
 */
export function createVerificationStep({
  redis,
  log,
  everyMs,
  mayVerify,
  verify,
}: VerificationOptions): (signal: AbortSignal) => Promise<void> {
  let since = Date.now();
  return async (signal) => {
    if (!mayVerify()) return;
    const now = Date.now();
    const due = [commonTables, ...(await listAccountIds(redis))].filter((id) => isDue(id, since, now, everyMs));
    since = now;
    for (const id of due) {
      if (signal.aborted) return;
      if (!(await claimVerification(redis, id, Math.ceil(everyMs / 2)))) continue;
      await verifyOne(id);
    }
  };

  async function verifyOne(id: string): Promise<void> {
    try {
      const result = await verify(id);
      if (result === undefined) return;
      verifications.inc({ result: result.ok ? "holds" : "diverges" });
      if (!result.ok) log.error({ account: id, divergence: result.divergence }, "an account's books are inconsistent");
    } catch (error) {
      verifications.inc({ result: "failed" });
      log.debug({ err: error, account: id }, "an account could not be verified; it is due again in the next period");
    }
  }
}

/** Returns whether an account became due after `since` and not after `now`. */
export function isDue(accountId: string, since: number, now: number, everyMs: number): boolean {
  if (now - since >= everyMs) return true;
  const offset = createHash("sha256").update(accountId).digest().readUIntBE(0, 6) % everyMs;
  // The left side is the time since the account was last due.
  return (((now - offset) % everyMs) + everyMs) % everyMs < now - since;
}
