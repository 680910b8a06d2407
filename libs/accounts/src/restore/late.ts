import { type Nanos, recordParser, UsageDraft } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

const readDraft = recordParser("usage draft", UsageDraft);

/**
 * Call without a hold at its settlement. The sweep or an earlier attempt has settled it, or Redis has lost the hold.
 */
export interface LateCall {
  readonly entryId: string;
  readonly draft: UsageDraft;
  readonly costNanos: Nanos;
}

/**
 * Reads the late calls of a shard that have waited for at least `olderThanMs`. An unreadable one is passed to
 * `onUnreadable`, and stays.
 */
export async function readLate(
  redis: Redis,
  shard: string,
  olderThanMs: number,
  limit: number,
  onUnreadable: (error: unknown, entryId: string) => void,
): Promise<readonly LateCall[]> {
  const entries = await redis.xrange(accountKeys.late(shard), "-", String(Date.now() - olderThanMs), "COUNT", limit);
  return entries.flatMap(([entryId, fields]) => {
    const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? "";
    try {
      return [{ entryId, draft: readDraft(field("event")), costNanos: BigInt(field("cost")) }];
    } catch (error) {
      onUnreadable(error, entryId);
      return [];
    }
  });
}

/** Removes a late call that was charged or is already in the books. */
export async function removeLate(redis: Redis, shard: string, entryId: string): Promise<void> {
  await redis.xdel(accountKeys.late(shard), entryId);
}
