import { Type } from "typebox";
import { CreditEvent, KeptTaskEvent, stored, UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountKeys, shardOf, shards } from "../keys.ts";
import { messageId, subjectOf, type OutboxEvent, type WrittenEntry } from "./entry.ts";

/** Events of a shard that are remembered until they are in the books; what is beyond is in JetStream alone. */
const maxRemembered = 500;

/** An event that was published and is not in the books yet. */
export interface SentEvent {
  readonly subject: string;
  readonly event: OutboxEvent;
  readonly messageId: string;
  /** The shard that remembers it. */
  readonly shard: string;
  readonly name: string;
}

/** A call that a Redis settled again, as it had lost the first settlement, has the same id and another receipt. */
function nameOf(event: OutboxEvent): string {
  const receipt = "receipt" in event ? event.receipt : undefined;
  return receipt === undefined ? event.id : `${event.id}.${receipt.hash}`;
}

/**
 * Remembers events from before they are published until the books have them: JetStream may lose its store with what has not been
 * read of it. Only so many of each shard: while the books are away they are in JetStream.
 */
export async function rememberSent(redis: Redis, entries: readonly WrittenEntry[]): Promise<void> {
  const byShard = Map.groupBy(entries, ({ entry }) => entry.shard);
  await Promise.all(
    [...byShard].map(async ([shard, several]) => {
      if ((await redis.hlen(accountKeys.sent(shard))) + several.length > maxRemembered) return;
      await redis.hset(accountKeys.sent(shard), ...several.flatMap(({ entry, text }) => [nameOf(entry.event), text]));
    }),
  );
}

/** Forgets events that the books have, or that stay in the outbox. */
export async function forgetSent(redis: Redis, events: readonly OutboxEvent[]): Promise<void> {
  const byShard = Map.groupBy(events, ({ accountId }) => shardOf(accountId));
  await Promise.all(
    [...byShard].map(([shard, several]) => redis.hdel(accountKeys.sent(shard), ...several.map(nameOf))),
  );
}

const readEvent = stored("event", Type.Union([UsageEvent, KeptTaskEvent, CreditEvent]));

/** Returns the events of these shards that were published and are not in the books yet. */
export async function readSent(redis: Redis, of: readonly string[] = shards): Promise<readonly SentEvent[]> {
  const found = await Promise.all(
    of.map(async (shard) => [shard, await redis.hgetall(accountKeys.sent(shard))] as const),
  );
  return found.flatMap(([shard, events]) =>
    Object.entries(events).map(([name, body]) => {
      const event = readEvent(body);
      return { subject: subjectOf(event), event, messageId: messageId(event), shard, name };
    }),
  );
}

/** Forgets events that were read here, once the books have them. */
export async function forgetRead(redis: Redis, events: readonly SentEvent[]): Promise<void> {
  const byShard = Map.groupBy(events, ({ shard }) => shard);
  await Promise.all(
    [...byShard].map(([shard, several]) => redis.hdel(accountKeys.sent(shard), ...several.map(({ name }) => name))),
  );
}
