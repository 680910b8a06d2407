import { removeReadCopies, readSent, shardOf, type SentEvent } from "@modelgate/accounts";
import { recordCalls, recordCredits, recordTasks } from "@modelgate/books";
import type { RestoreDeps } from "./restore-accounts.ts";

/**
 * Writes events of which Redis keeps copies directly into the books, without JetStream, and removes the copies. Ignores
 * events that the books already have.
 */
export async function recordPublished(
  { redis, books }: Pick<RestoreDeps, "redis" | "books">,
  sent: readonly SentEvent[],
): Promise<void> {
  const events = sent.map(({ event }) => event);
  await recordCalls(
    books,
    events.filter((event) => "costNanos" in event),
  );
  await recordCredits(
    books,
    events.filter((event) => "operationId" in event),
  );
  await recordTasks(
    books,
    events.filter((event) => "taskId" in event),
  );
  await removeReadCopies(redis, sent);
}

/** Records the events of one account of which Redis keeps copies. Returns their number. */
export async function recordPublishedOf(deps: Pick<RestoreDeps, "redis" | "books">, account: string): Promise<number> {
  const published = (await readSent(deps.redis, [shardOf(account)])).filter(({ event }) => event.accountId === account);
  if (published.length > 0) await recordPublished(deps, published);
  return published.length;
}
