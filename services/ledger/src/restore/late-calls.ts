import { chargeLost, removeLate, publishEntries, readLate, readUnpublished, shards } from "@modelgate/accounts";
import { hasCall, writeRestoration } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import { waitUntilCaughtUp } from "./caught-up.ts";
import type { RestoreDeps } from "./restore-accounts.ts";

/**
 * Maximum late calls per shard and check, and the minimum age of a call in ms, because its settlement may be in
 * transit.
 */
const [maxPerCheck, waitMs] = [100, 1_000];
const maxWaiting = 10_000;
/** Maximum wait in ms until the books have the content of the stream. */
const caughtUpMs = 5_000;

/**
 * Charges late calls, whose reservation was gone when they ended, unless the outbox, the stream or the books contain
 * them. These are checked in this order, because events move in it: an event that moves during the check is found at
 * the next place. Returns the number of charged calls.
 */
export async function settleLate(deps: RestoreDeps): Promise<number> {
  const { redis, bus } = deps;
  const late = await Promise.all(
    shards.map(async (shard) =>
      (await readLate(redis, shard, waitMs, maxPerCheck)).map((call) => ({ shard, ...call })),
    ),
  );
  const lateCalls = late.flat();
  if (lateCalls.length === 0) return 0;
  const unpublishedIds = await waitingIds(deps, new Set(lateCalls.map(({ shard }) => shard)));
  if (!(await waitUntilCaughtUp(bus, [eventStreams.usage.name], caughtUpMs)))
    throw new Error("the books are too far behind to know which calls are settled");
  let charged = 0;
  for (const call of lateCalls) if (!unpublishedIds.has(call.draft.id) && (await settleOne(deps, call))) charged++;
  return charged;
}

async function waitingIds({ redis }: RestoreDeps, of: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const entries = await Promise.all([...of].map((shard) => readUnpublished(redis, shard, 0, maxWaiting)));
  return new Set(entries.flat().map(({ event }) => event.id));
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
  // Written first, so that a verification shows why the call was charged late.
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
