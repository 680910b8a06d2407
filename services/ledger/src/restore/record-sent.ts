import { removeReadCopies, readSent, shardOf, type SentEvent } from "@modelgate/accounts";
import { recordCalls, recordCredits, recordTasks } from "@modelgate/books";
import type { PutBackDeps } from "./put-back.ts";

/**
 * Writes published events directly into the books, bypassing JetStream, and removes them. Events that the books already
 * have are ignored.
 */
export async function recordSent(
  { redis, books }: Pick<PutBackDeps, "redis" | "books">,
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

/** Does the same for the remembered events of an account. Returns their number. */
export async function recordSentOf(deps: Pick<PutBackDeps, "redis" | "books">, account: string): Promise<number> {
  const sent = (await readSent(deps.redis, [shardOf(account)])).filter(({ event }) => event.accountId === account);
  if (sent.length > 0) await recordSent(deps, sent);
  return sent.length;
}
