import { listCopies, removeReadCopies, readCopies, shardOf, type CopiedEvent } from "@modelgate/accounts";
import { recordCalls, recordCredits, recordTasks } from "@modelgate/books";
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

/** Records the copied events of one account. Returns their number. */
export async function recordPublishedOf(deps: Pick<RestoreDeps, "redis" | "books">, account: string): Promise<number> {
  const copies = await listCopies(deps.redis, [shardOf(account)]);
  const published = (await readCopies(deps.redis, copies)).filter(({ event }) => event.accountId === account);
  if (published.length > 0) await recordPublished(deps, published);
  return published.length;
}
