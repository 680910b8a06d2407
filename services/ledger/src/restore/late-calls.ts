import { chargeLost, removeLate, publishEntries, readLate, readUnpublished, shards } from "@modelgate/accounts";
import { hasCall, writeRestoration } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import { caughtUp } from "./caught-up.ts";
import type { PutBackDeps } from "./put-back.ts";

/** Late calls of a shard per check, and the wait in ms of each, because its settlement may be in transit. */
const [atOnce, waitMs] = [100, 1_000];
/** Maximum events of a shard's outbox that are searched for the same call. */
const maxWaiting = 10_000;
/** Maximum wait, in ms, until the stream has been read. */
const caughtUpMs = 5_000;

/**
 * Settles calls that ended after their reservation was gone, and returns the number charged. A call found in the
 * outbox, the stream or the books (checked in this order) is already settled. Any other call had its reservation in a
 * lost Redis, and is charged now, once.
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
  const entries = await Promise.all([...of].map((shard) => readUnpublished(redis, shard, 0, maxWaiting)));
  return new Set(entries.flat().map(({ event }) => event.id));
}

async function settleOne(
  { redis, bus, books }: PutBackDeps,
  { shard, entryId, draft, costNanos }: { readonly shard: string } & Awaited<ReturnType<typeof readLate>>[number],
): Promise<boolean> {
  if (await hasCall(books, draft)) {
    await removeLate(redis, shard, entryId);
    return false;
  }
  const charged = await chargeLost(redis, { draft, costNanos });
  if (charged === undefined) return false;
  // Written before the books have the call, so that a verification of the account shows the reason.
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
