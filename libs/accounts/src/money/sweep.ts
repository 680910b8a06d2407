import { stored, tokensIn, UsageDraft, type UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { firstScore } from "../tasks/claim.ts";
import { settle } from "./settle.ts";

/** Limits of one sweep of a shard. */
export interface SweepBounds {
  /** Clock for the leases; absent: that of this machine. */
  readonly nowMs?: number | undefined;
  /** Settles only in these runs of Redis; see `Settlement`. */
  readonly runIds?: string | undefined;
}

/**
 * Settles the holds of a shard whose lease has ended because their service died. Such a hold is charged its floor (the
 * price per request, the input that was sent to the vendor, and the output known at the last renewal), and the rest is
 * released. Its event has the outcome `failed` and is marked `estimated`. A sweep and a late service may compete: the
 * settlement script settles once. If the draft of a hold cannot be read, the hold is kept, and an error is thrown at
 * the end.
 */
export async function sweepHolds(
  redis: Redis,
  shard: string,
  limit: number,
  { nowMs, runIds }: SweepBounds = {},
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
      event = deadDraft(draft);
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
  if (unreadable.length > 0) throw new AggregateError(unreadable, `${unreadable.length} dead holds cannot be read`);
  return swept;
}

/** Returns the number of open holds of a shard. */
export async function openHolds(redis: Redis, shard: string): Promise<number> {
  return redis.zcard(accountKeys.holds(shard));
}

/** Returns the time at which the first lease of a shard's holds ends, Unix ms; Infinity if no hold is open. */
export function firstLeaseEnd(redis: Redis, shard: string): Promise<number> {
  return firstScore(redis, accountKeys.holds(shard));
}

const readDraft = stored("usage draft", UsageDraft);

/** Builds the event of a hold whose service died. The client's result is unknown, so the call counts as failed. */
function deadDraft(text: string): UsageDraft {
  const draft = readDraft(text);
  return {
    ...draft,
    time: new Date().toISOString(),
    outcome: "failed",
    estimated: true,
    status: draft.status === 0 ? 500 : draft.status,
  };
}
