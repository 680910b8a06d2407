import { Type } from "typebox";
import { CreditEvent, stored, TaskEvent, UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { keys, shardOf, shards } from "../keys.ts";
import type { OutboxEntry, OutboxEvent } from "./entry.ts";
import { messageId, subjectOf } from "./message.ts";

/** Events of a shard that are remembered until they are in the books; what is beyond is in JetStream alone. */
const mostRemembered = 500;

/** An event that was published and is not in the books yet. */
export interface SentEvent {
  readonly subject: string;
  readonly body: string;
  readonly messageId: string;
}

/**
 * Remembers events from before they are published until the books have them: JetStream may lose its store with what has not been
 * read of it. Only so many of each shard: while the books are away they are in JetStream.
 */
export async function rememberSent(redis: Redis, entries: readonly OutboxEntry[]): Promise<void> {
  const byShard = Map.groupBy(entries, ({ shard }) => shard);
  await Promise.all(
    [...byShard].map(async ([shard, several]) => {
      if ((await redis.hlen(keys.sent(shard))) + several.length > mostRemembered) return;
      await redis.hset(
        keys.sent(shard),
        Object.fromEntries(several.map(({ event }) => [messageId(event), JSON.stringify(event)])),
      );
    }),
  );
}

/** Forgets events that the books have, or that stay in the outbox. */
export async function forgetSent(redis: Redis, events: readonly OutboxEvent[]): Promise<void> {
  const byShard = Map.groupBy(events, ({ accountId }) => shardOf(accountId));
  await Promise.all([...byShard].map(([shard, several]) => redis.hdel(keys.sent(shard), ...several.map(messageId))));
}

const readEvent = stored("event", Type.Union([UsageEvent, TaskEvent, CreditEvent]));

/** What was published and is not in the books yet, of all shards. */
export async function readSent(redis: Redis): Promise<readonly SentEvent[]> {
  const found = await Promise.all(shards.map((shard) => redis.hgetall(keys.sent(shard))));
  return found.flatMap((events) =>
    Object.entries(events).map(([id, body]) => {
      return { subject: subjectOf(readEvent(body)), body, messageId: id };
    }),
  );
}
