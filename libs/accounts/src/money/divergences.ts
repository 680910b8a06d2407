import type { Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import type { Verification } from "./verify.ts";

/** Takes the verification of an account for one ledger; false where another has taken it within `forMs`. */
export async function claimVerification(redis: Redis, accountId: string, forMs: number): Promise<boolean> {
  return (await redis.set(accountKeys.verifying(accountId), "1", "PX", forMs, "NX")) !== null;
}

/** Keeps what a verification found: an account that diverges is listed until a later one finds that it holds. */
export async function keepVerification(
  redis: Redis,
  { account, divergence }: Pick<Verification, "account" | "divergence">,
): Promise<void> {
  if (divergence === undefined) await redis.hdel(accountKeys.divergences, account);
  else await redis.hset(accountKeys.divergences, account, JSON.stringify(divergence));
}

/** How many accounts diverged when they were last verified. */
export async function countDivergences(redis: Redis): Promise<number> {
  return redis.hlen(accountKeys.divergences);
}
