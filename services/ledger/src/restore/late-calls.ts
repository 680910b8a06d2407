import {
  chargeLost,
  outboxLength,
  removeLate,
  publishEntries,
  readLate,
  readUnpublished,
  shards,
} from "@modelgate/accounts";
import { hasCall, writeRestoration } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import type { Logger } from "@modelgate/platform";
import { waitUntilCaughtUp } from "./caught-up.ts";
import type { RestoreDeps } from "./restore-accounts.ts";

/**
 * Maximum number of late calls per shard and check, and their minimum age in ms. The settlement of a younger call may be
 * in transit.
 */
const [maxPerCheck, waitMs] = [100, 1_000];
/** Maximum number of unpublished events of a shard that are read. */
const maxWaiting = 10_000;
/** Maximum ms to wait until the books have the events of the stream. */
const maxCatchUpMs = 5_000;

/**
 * Charges late calls, whose hold was gone when they ended, unless they are already settled. The event of a settled call
 * moves from the outbox through the stream to the books. All three are checked in this order, so that a moving event is
 * found. Returns the number of charged calls.
 */
export async function settleLate(deps: RestoreDeps & { readonly log: Logger }): Promise<number> {
  const { redis, bus, log } = deps;
  const late = await Promise.all(
    shards.map(async (shard) => {
      const calls = await readLate(redis, shard, waitMs, maxPerCheck, (error, entryId) =>
        log.error({ err: error, shard, entryId }, "a late call cannot be read and stays there"),
      );
      return calls.map((call) => ({ shard, ...call }));
    }),
  );
  const lateCalls = late.flat();
  if (lateCalls.length === 0) return 0;
  const unpublishedIds = await unpublishedIdsIn(deps, new Set(lateCalls.map(({ shard }) => shard)));
  if (!(await waitUntilCaughtUp(bus, [eventStreams.usage.name], maxCatchUpMs)))
    throw new Error("the books are too far behind to know which calls are settled");
  let charged = 0;
  for (const call of lateCalls) if (!unpublishedIds.has(call.draft.id) && (await settleOne(deps, call))) charged++;
  return charged;
}

async function unpublishedIdsIn({ redis }: RestoreDeps, shardIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const shard of shardIds) {
    if ((await outboxLength(redis, shard)) > maxWaiting)
      throw new Error("too many events are unpublished to know which calls are settled");
    for (const { event } of await readUnpublished(redis, shard, 0, maxWaiting)) ids.add(event.id);
  }
  return ids;
}

async function settleOne(
  { redis, bus, books }: RestoreDeps,
  { shard, entryId, draft, costNanos }: { readonly shard: string } & Awaited<ReturnType<typeof readLate>>[number],
): Promise<boolean> {
  if (await hasCall(books, draft)) {
    await removeLate(redis, shard, entryId);
    return false;
  }
  const charged = await chargeLost(redis, { draft, costNanos });
  if (charged === undefined) return false;
  // Written before the event is published, so that a verification always shows why the call was charged late.
  await writeRestoration(books, {
    account: draft.accountId,
    time: new Date().toISOString(),
    reason: "the call was open when Redis was lost",
    calls: 1,
    nanos: (-costNanos).toString(),
  });
  await publishEntries(redis, bus, [charged]);
  await removeLate(redis, shard, entryId);
  return true;
}
