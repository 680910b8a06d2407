import { type Nanos, stored, UsageDraft } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

const readDraft = stored("usage draft", UsageDraft);

/** A call that ended without a hold: it was swept, settled by an attempt whose reply was lost, or lost with a Redis. */
export interface LateCall {
  readonly entryId: string;
  readonly draft: UsageDraft;
  readonly costNanos: Nanos;
}

/** Returns the late calls of a shard that have waited at least `olderThanMs`. */
export async function readLate(
  redis: Redis,
  shard: string,
  olderThanMs: number,
  limit: number,
): Promise<readonly LateCall[]> {
  const entries = await redis.xrange(accountKeys.late(shard), "-", String(Date.now() - olderThanMs), "COUNT", limit);
  return entries.map(([entryId, fields]) => {
    const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? "";
    return { entryId, draft: readDraft(field("event")), costNanos: BigInt(field("cost")) };
  });
}

/** Removes a late call that was charged, or that is in the books already. */
export async function forgetLate(redis: Redis, shard: string, entryId: string): Promise<void> {
  await redis.xdel(accountKeys.late(shard), entryId);
}
