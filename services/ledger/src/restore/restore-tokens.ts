import { findToken } from "@modelgate/accounts";
import { readTokensOf, type BookedToken } from "@modelgate/books";
import type { Redis } from "@modelgate/platform";
import { writeBookedToken, type WriteDeps } from "../accounts/write-to-redis.ts";

const batchSize = 500;

/**
 * Restores API keys that Redis lacks, or has in an earlier state, after it lost data. Otherwise a key that was disabled
 * just before the loss would work again. Returns the number of restored keys.
 */
export async function restoreTokens({ redis, books }: WriteDeps, accounts: readonly string[]): Promise<number> {
  const tokens = await readTokensOf(books, accounts);
  let restored = 0;
  for (let from = 0; from < tokens.length; from += batchSize) {
    const batch = tokens.slice(from, from + batchSize);
    const current = await Promise.all(batch.map((token) => isCurrent(redis, token)));
    const outdated = batch.filter((_, at) => current[at] === false);
    await Promise.all(outdated.map((token) => writeBookedToken({ redis, books }, token)));
    restored += outdated.length;
  }
  return restored;
}

/**
 * Returns whether Redis has the last version of a token under the digest of each usable key, or, for a deleted token,
 * no version.
 */
async function isCurrent(redis: Redis, { digest, replaced, version, deletedAt }: BookedToken): Promise<boolean> {
  const usable = replaced.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now());
  const digests = [digest, ...usable.map((key) => key.digest)];
  const redisTokens = await Promise.all(digests.map((each) => findToken(redis, each)));
  if (deletedAt !== undefined) return redisTokens.every((token) => token === undefined);
  return redisTokens.every((token) => (token?.version ?? 0) >= version);
}
