import { chargeLost, forgetLate, publishEntries, readLate, readLeftovers, shards } from "@modelgate/accounts";
import { hasCall, writeRestoration } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import { caughtUp } from "./caught-up.ts";
import type { PutBackDeps } from "./put-back.ts";

/** Late calls of a shard that one look takes, and how long each waits: what settled it may be on its way. */
const [atOnce, waitMs] = [100, 1_000];
/** Events of a shard's outbox that are looked through for the same call. */
const maxWaiting = 10_000;
/** Longest wait for the stream to be read as far as it was. */
const caughtUpMs = 5_000;

/**
 * Settles calls that ended after their hold was gone, and returns the number charged. A call that is in the outbox, the
 * stream or the books (checked in this order) was settled before. Any other had its hold in a Redis that was lost, and
 * is charged now, once.
 */
export async function settleLate(deps: PutBackDeps): Promise<number> {
  const { redis, bus } = deps;
  const late = await Promise.all(
    shards.map(async (shard) => (await readLate(redis, shard, waitMs, atOnce)).map((call) => ({ shard, ...call }))),
  );
  const found = late.flat();
  if (found.length === 0) return 0;
  const waiting = await waitingIds(deps, new Set(found.map(({ shard }) => shard)));
  if (!(await caughtUp(bus, [eventStreams.usage.name], caughtUpMs)))
    throw new Error("the books are too far behind to know which calls are settled");
  let charged = 0;
  for (const call of found) if (!waiting.has(call.draft.id) && (await settleOne(deps, call))) charged++;
  return charged;
}

async function waitingIds({ redis }: PutBackDeps, of: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const entries = await Promise.all([...of].map((shard) => readLeftovers(redis, shard, 0, maxWaiting)));
  return new Set(entries.flat().map(({ event }) => event.id));
}

async function settleOne(
  { redis, bus, books }: PutBackDeps,
  { shard, entryId, draft, costNanos }: { readonly shard: string } & Awaited<ReturnType<typeof readLate>>[number],
): Promise<boolean> {
  if (await hasCall(books, draft)) {
    await forgetLate(redis, shard, entryId);
    return false;
  }
  const charged = await chargeLost(redis, { draft, costNanos });
  if (charged === undefined) return false;
  // Before the books have it: who verifies the account then sees why.
  await writeRestoration(books, {
    account: draft.accountId,
    time: new Date().toISOString(),
    reason: "the call was open when Redis was lost",
    calls: 1,
    nanos: (-costNanos).toString(),
  });
  await publishEntries(redis, bus, [charged]);
  await forgetLate(redis, shard, entryId);
  return true;
}
