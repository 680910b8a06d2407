import { listCopies, removeReadCopies, readCopies, shardOf, type CopiedEvent } from "@modelgate/accounts";
import { recordCalls, recordCredits, recordTasks } from "@modelgate/books";
import { nextTurn } from "@modelgate/platform";
import { countUsage } from "../ledger-metrics.ts";
import type { RestoreDeps } from "./restore-accounts.ts";

/** Writes events into the books from their copies in Redis, and removes the copies. */
export async function recordPublished(
  { redis, books }: Pick<RestoreDeps, "redis" | "books">,
  copies: readonly CopiedEvent[],
): Promise<void> {
  const events = copies.map(({ event }) => event);
  countUsage(
    await recordCalls(
      books,
      events.filter((event) => "costNanos" in event),
    ),
  );
  await recordCredits(
    books,
    events.filter((event) => "operationId" in event),
  );
  await recordTasks(
    books,
    events.filter((event) => "taskId" in event),
  );
  await removeReadCopies(redis, copies);
}

/** Number of copies that are read at a time, in a few milliseconds. */
const batchSize = 250;

/** Records the copied events of one account. Returns their number. */
export async function recordPublishedOf(deps: Pick<RestoreDeps, "redis" | "books">, account: string): Promise<number> {
  const copies = await listCopies(deps.redis, [shardOf(account)]);
  const published: CopiedEvent[] = [];
  for (let from = 0; from < copies.length; from += batchSize) {
    const events = await readCopies(deps.redis, copies.slice(from, from + batchSize));
    published.push(...events.filter(({ event }) => event.accountId === account));
    await nextTurn();
  }
  if (published.length > 0) await recordPublished(deps, published);
  return published.length;
}
