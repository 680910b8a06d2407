import { chargeLost, forgetLate, publishEntries, readLate, readLeftovers, shards } from "@modelgate/accounts";
import { hasCall, writeRestoration } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import type { PutBackDeps } from "./put-back.ts";

/** Late calls of a shard that one look takes, and how long each waits: what settled it may be on its way. */
const [atOnce, waitMs] = [100, 1_000];
/** Events of a shard's outbox that are looked through for the same call. */
const mostWaiting = 10_000;
/** Longest wait for the stream to be read as far as it was, and the pause between two looks. */
const [caughtUpMs, lookMs] = [5_000, 100];
/** The consumer that fills the books with calls. */
const consumer = "ledger";

/**
 * Sees to calls that ended after their hold was gone: those that were settled before are in the outbox, in the stream or
 * in the books, looked for in this order; the others had their hold in a Redis that was lost, and are charged now, once.
 */
export async function settleLate(deps: PutBackDeps): Promise<number> {
  const { redis } = deps;
  const late = await Promise.all(
    shards.map(async (shard) => (await readLate(redis, shard, waitMs, atOnce)).map((call) => ({ shard, ...call }))),
  );
  const found = late.flat();
  if (found.length === 0) return 0;
  const waiting = await waitingIds(deps, new Set(found.map(({ shard }) => shard)));
  await untilCaughtUp(deps);
  let charged = 0;
  for (const call of found) if (!waiting.has(call.draft.id) && (await settleOne(deps, call))) charged++;
  return charged;
}

async function waitingIds({ redis }: PutBackDeps, of: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const entries = await Promise.all([...of].map((shard) => readLeftovers(redis, shard, 0, mostWaiting)));
  return new Set(entries.flat().map(({ event }) => event.id));
}

/** Waits until the books have what the stream had at the beginning. Throws where that takes too long. */
async function untilCaughtUp({ bus }: PutBackDeps): Promise<void> {
  const last = (await bus.progress(eventStreams.usage.name, consumer))?.last ?? 0;
  for (const end = Date.now() + caughtUpMs; ;) {
    const now = await bus.progress(eventStreams.usage.name, consumer);
    // A stream that was made anew begins at 1.
    if (now !== undefined && (now.handled >= last || now.last < last)) return;
    if (Date.now() > end) throw new Error("the books are too far behind to know which calls are settled");
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
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
  await publishEntries(redis, bus, [charged]);
  await forgetLate(redis, shard, entryId);
  await writeRestoration(books, {
    account: draft.accountId,
    time: new Date().toISOString(),
    reason: "the call was open when Redis was lost",
    calls: 1,
    nanos: (-costNanos).toString(),
  });
  return true;
}
