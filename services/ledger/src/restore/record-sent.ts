import { forgetRead, readSent, shardOf, type SentEvent } from "@modelgate/accounts";
import { recordCalls, recordCredits, recordTasks } from "@modelgate/books";
import type { PutBackDeps } from "./put-back.ts";

/** Writes events that were published into the books, past JetStream, and forgets them. What is there already stays once. */
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
  await forgetRead(redis, sent);
}

/** Does so with what is remembered of an account; how much that was. */
export async function recordSentOf(deps: Pick<PutBackDeps, "redis" | "books">, account: string): Promise<number> {
  const sent = (await readSent(deps.redis, [shardOf(account)])).filter(({ event }) => event.accountId === account);
  if (sent.length > 0) await recordSent(deps, sent);
  return sent.length;
}
