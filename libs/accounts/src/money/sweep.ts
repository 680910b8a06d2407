import { recordParser, tokensIn, UsageDraft, type UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { firstScore } from "../tasks/claim.ts";
import { settle } from "./settle.ts";

export interface SweepOptions {
  readonly nowMs?: number | undefined;
  /** Run ids of the Redis servers on which holds may be settled; see `Settlement`. */
  readonly runIds?: string | undefined;
}

/**
 * Settles the holds of a shard whose lease has ended, at their minimum cost. Holds with an unreadable event remain, and
 * cause an error at the end.
 */
export async function sweepHolds(
  redis: Redis,
  shard: string,
  limit: number,
  { nowMs, runIds }: SweepOptions = {},
): Promise<readonly OutboxEntry<UsageEvent>[]> {
  const now = nowMs ?? Date.now();
  const expired = await redis.zrangebyscore(accountKeys.holds(shard), "-inf", now, "LIMIT", 0, limit);
  const swept: OutboxEntry<UsageEvent>[] = [];
  const unreadable: unknown[] = [];
  for (const callId of expired) {
    const { account, floor, draft } = await redis.hgetall(accountKeys.holdOfShard(shard, callId));
    if (account === undefined || floor === undefined || draft === undefined) {
      await redis.zrem(accountKeys.holds(shard), callId);
      continue;
    }
    let event: UsageDraft;
    try {
      event = failedDraft(draft);
    } catch (error) {
      unreadable.push(error);
      continue;
    }
    const entry = await settle(redis, {
      accountId: account,
      callId,
      costNanos: BigInt(floor),
      tokens: tokensIn(event.units),
      draft: event,
      onlyIfExpired: true,
      runIds,
      nowMs,
    });
    if (entry !== undefined) swept.push(entry);
  }
  if (unreadable.length > 0) throw new AggregateError(unreadable, `${unreadable.length} expired holds cannot be read`);
  return swept;
}

/** Returns the number of holds of a shard, including those whose lease has ended. */
export async function countOpenHolds(redis: Redis, shard: string): Promise<number> {
  return redis.zcard(accountKeys.holds(shard));
}

/** Returns the Unix time in ms at which the first lease of a shard's holds ends; Infinity without holds. */
export function firstLeaseEnd(redis: Redis, shard: string): Promise<number> {
  return firstScore(redis, accountKeys.holds(shard));
}

const readDraft = recordParser("usage draft", UsageDraft);

/** The client's result is unknown, so the call is recorded as failed. */
function failedDraft(text: string): UsageDraft {
  const draft = readDraft(text);
  return {
    ...draft,
    time: new Date().toISOString(),
    outcome: "failed",
    estimated: true,
    status: draft.status === 0 ? 500 : draft.status,
  };
}
