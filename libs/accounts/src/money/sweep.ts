import { stored, tokensIn, UsageDraft, type UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { firstScore } from "../tasks/claim.ts";
import { settle } from "./settle.ts";

/** Bounds of one sweep of a shard. */
export interface SweepBounds {
  /** Clock of holds; absent: that of this machine. */
  readonly nowMs?: number | undefined;
  /** Only in these runs of Redis: see `Settlement`. */
  readonly onlyOn?: string | undefined;
}

/**
 * Settles the holds of a shard whose lease has ended: their service died. A dead hold is charged its floor (the price
 * per request, the input that was sent to the vendor, and the output known at the last renewal), and the rest is
 * released. Its event says `failed` and `estimated`. Sweeps and a late service may race: the settlement script settles
 * once. Throws at the end where the draft of a hold cannot be read: such a hold stays.
 */
export async function sweepHolds(
  redis: Redis,
  shard: string,
  limit: number,
  { nowMs, onlyOn }: SweepBounds = {},
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
      onlyOn,
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

/** Returns the time at which the first lease of a shard's holds ends, Unix ms; Infinity where no hold is open. */
export function firstLeaseEnd(redis: Redis, shard: string): Promise<number> {
  return firstScore(redis, accountKeys.holds(shard));
}

const readDraft = stored("usage draft", UsageDraft);

/** Makes the event of a hold whose service died. The result for its client is unknown: it counts as failed. */
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
