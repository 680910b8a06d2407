import { Type } from "typebox";
import {
  creditSubject,
  CreditEvent,
  readTaskEvent,
  StoredTaskEvent,
  recordParser,
  taskSubject,
  upgradeTaskEvent,
  UsageDraft,
  UsageEvent,
  usageSubject,
  type Area,
} from "@modelgate/contracts";
import type { Bus, BusMessage, Logger, Redis } from "@modelgate/platform";
import { accountKeys, shardOf, shards } from "../keys.ts";
import { eventsWithoutCopy } from "./outbox-metrics.ts";

/** An event that is published through the outbox: a settled call, a transition of a task, or a change of a balance. */
export type OutboxEvent = UsageEvent | StoredTaskEvent | CreditEvent;

interface SerializedEntry {
  readonly entry: OutboxEntry;
  readonly text: string;
  /** Id of the event's task, or of the event itself. Events with the same value are published one after another. */
  readonly order: string;
}

/** An event, and its place in the outbox: the shard, and the id of the entry in the Redis stream. */
export interface OutboxEntry<Event extends OutboxEvent = OutboxEvent> {
  readonly shard: string;
  readonly entryId: string;
  readonly event: Event;
  /** The event as JSON, if it is known. */
  readonly text?: string | undefined;
}

const areas: readonly Area[] = ["text", "media", "video", "audio", "realtime"];
const usageSubjects: ReadonlyMap<string, string> = new Map(areas.map((area) => [area, usageSubject(area)]));

/** A call that was charged again gets a new message id, so that JetStream does not drop its event as a duplicate. */
function messageOf(event: OutboxEvent, body: string): BusMessage {
  const receipt = "receipt" in event ? event.receipt : undefined;
  const id = receipt?.replaces === undefined ? event.id : `${event.id}.${receipt.hash}`;
  if ("kind" in event) return { subject: creditSubject(event.kind), body, id };
  if ("state" in event) return { subject: taskSubject(event.deleted ? "deleted" : event.state), body, id };
  return { subject: usageSubjects.get(event.area) ?? usageSubject("edge"), body, id };
}

/**
 * Publishes events, and removes them from the outbox after JetStream has stored them. Returns the number of stored
 * events. If an event fails, it and the later events of its task stay in the outbox. If the removal fails, an event is
 * published again; JetStream drops the second message by its `Nats-Msg-Id`. If events get no copy, a warning is logged.
 */
export async function publishEntries(
  redis: Redis,
  bus: Bus,
  entries: readonly OutboxEntry[],
  log?: Logger,
): Promise<number> {
  const serialized: SerializedEntry[] = [];
  for (const entry of entries) {
    const { event, text = JSON.stringify(event) } = entry;
    serialized.push({ entry, text, order: "taskId" in event ? event.taskId : event.id });
  }
  const byShard = Map.groupBy(serialized, ({ entry }) => entry.shard);
  const copies: Promise<void>[] = [];
  for (const [shard, several] of byShard) copies.push(storeCopies(redis, shard, several, log));
  // The events are published even if Redis does not answer, because Redis may have lost them.
  await Promise.allSettled(copies);
  // The copies stay even if an event is not stored now: another process may have published the same event and removed
  // it from the outbox.
  const stored = await publishInOrder(bus, serialized);
  const removals: Promise<unknown>[] = [];
  for (const [shard, several] of byShard) {
    const storedIds = several.filter(({ entry }) => stored.has(entry)).map(({ entry }) => entry.entryId);
    if (storedIds.length > 0) removals.push(redis.xdel(accountKeys.outbox(shard), ...storedIds));
  }
  await Promise.all(removals);
  return stored.size;
}

/** Publishes events, those of one task one after another. Returns the stored ones. */
async function publishInOrder(bus: Bus, entries: readonly SerializedEntry[]): Promise<ReadonlySet<OutboxEntry>> {
  const storedEntries = new Set<OutboxEntry>();
  for (let waiting = entries; waiting.length > 0;) {
    const turn: SerializedEntry[] = [];
    const later: SerializedEntry[] = [];
    const seen = new Set<string>();
    for (const written of waiting) {
      (seen.has(written.order) ? later : turn).push(written);
      seen.add(written.order);
    }
    let results: readonly unknown[];
    try {
      const messages: BusMessage[] = [];
      for (const { entry, text } of turn) messages.push(messageOf(entry.event, text));
      results = await bus.publish(messages);
    } catch (error) {
      results = turn.map(() => error);
    }
    const stuckOrders = new Set<string>();
    for (const [at, written] of turn.entries())
      if (results[at] === undefined) storedEntries.add(written.entry);
      else stuckOrders.add(written.order); // it stays in the outbox, with the later events of its task
    waiting = stuckOrders.size === 0 ? later : later.filter(({ order }) => !stuckOrders.has(order));
  }
  return storedEntries;
}

/**
 * Reads the events of a shard that have been in the outbox for at least `olderThanMs`, because a service died or NATS
 * was unavailable. An unreadable entry is passed to `onUnreadable`, and stays in the outbox.
 */
export async function readUnpublished(
  redis: Redis,
  shard: string,
  olderThanMs: number,
  limit: number,
  onUnreadable?: (error: unknown, entryId: string) => void,
): Promise<readonly OutboxEntry[]> {
  const entries = await redis.xrange(accountKeys.outbox(shard), "-", String(Date.now() - olderThanMs), "COUNT", limit);
  return entries.flatMap(([entryId, fields]) => {
    try {
      return [{ shard, entryId, event: eventOf(fields) }];
    } catch (error) {
      onUnreadable?.(error, entryId);
      return [];
    }
  });
}

/** Returns the number of events of a shard that are not published yet. */
export async function outboxLength(redis: Redis, shard: string): Promise<number> {
  return redis.xlen(accountKeys.outbox(shard));
}

const readCreditEvent = recordParser("credit event", CreditEvent);
const readDraft = recordParser("usage event", UsageDraft);

function eventOf(fields: readonly string[]): OutboxEvent {
  const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? "";
  if (fields[0] === "task") return readTaskEvent(field("task"));
  if (fields[0] === "credit") return readCreditEvent(field("credit"));
  return {
    ...readDraft(field("event")),
    costNanos: (BigInt(field("cost")) - BigInt(field("uncovered"))).toString(),
    receipt: {
      number: Number(field("number")),
      previous: field("previous"),
      balanceNanos: field("balance"),
      hash: field("hash"),
      ...(fields.includes("replaces") && field("replaces") !== "" ? { replaces: field("replaces") } : {}),
    },
  };
}

/** Reads a list of ids of entries, each followed by the JSON of its task event. */
export function readTaskEntries(shard: string, parts: readonly string[]): OutboxEntry[] {
  const entries: OutboxEntry[] = [];
  for (let at = 0; at < parts.length; at += 2)
    entries.push({ shard, entryId: parts[at] ?? "", event: readTaskEvent(parts[at + 1] ?? "") });
  return entries;
}

/** Maximum number of events of a shard that have copies. All copies together take about 60 MB. */
const maxCopies = 1_000;
/** Minimum ms between two warnings about events without a copy. */
const warningMs = 60_000;
/** Time (`performance.now()`) of the next warning about events that have no copy in this Redis. */
const nextWarningAt = new WeakMap<Redis, number>();

/** The copy of an event in Redis: its shard, and its name in this shard. */
export interface EventCopy {
  readonly shard: string;
  readonly name: string;
}

/** An event that was read from its copy. */
export interface CopiedEvent extends EventCopy {
  readonly event: OutboxEvent;
  readonly message: BusMessage;
}

/**
 * Returns the name of an event's copy. A call that was charged again after a restore has the same id, so the name
 * contains the receipt's hash.
 */
function uniqueName(event: OutboxEvent): string {
  const receipt = "receipt" in event ? event.receipt : undefined;
  return receipt === undefined ? event.id : `${event.id}.${receipt.hash}`;
}

/**
 * Stores copies of events in Redis until the books contain them, because JetStream may lose its storage. If the shard
 * would have too many copies, none are stored.
 */
async function storeCopies(
  redis: Redis,
  shard: string,
  several: readonly SerializedEntry[],
  log: Logger | undefined,
): Promise<void> {
  const key = accountKeys.sent(shard);
  if ((await redis.hlen(key)) + several.length > maxCopies) {
    eventsWithoutCopy.inc(several.length);
    if (log === undefined || performance.now() < (nextWarningAt.get(redis) ?? 0)) return;
    nextWarningAt.set(redis, performance.now() + warningMs);
    log.warn({ shard }, "events have no copy in Redis, because too many are not in the books: NATS must not lose them");
    return;
  }
  const fields: string[] = [];
  for (const { entry, text } of several) fields.push(uniqueName(entry.event), text);
  await redis.hset(key, ...fields);
}

/** Removes the copies of events that are in the books. */
export async function removeCopies(redis: Redis, events: readonly OutboxEvent[]): Promise<void> {
  const byShard = Map.groupBy(events, ({ accountId }) => shardOf(accountId));
  await Promise.all(
    [...byShard].map(([shard, several]) => redis.hdel(accountKeys.sent(shard), ...several.map(uniqueName))),
  );
}

const readEvent = recordParser("event", Type.Union([UsageEvent, StoredTaskEvent, CreditEvent]), upgradeTaskEvent);

/** Lists the copies in these shards. Some of their events may still be in the outbox. */
export async function listCopies(redis: Redis, of: readonly string[] = shards): Promise<readonly EventCopy[]> {
  const names = await Promise.all(of.map((shard) => redis.hkeys(accountKeys.sent(shard))));
  return of.flatMap((shard, at) => (names[at] ?? []).map((name) => ({ shard, name })));
}

/** Reads the events of copies that still exist. An unreadable copy is passed to `onUnreadable`. */
export async function readCopies(
  redis: Redis,
  copies: readonly EventCopy[],
  onUnreadable?: (error: unknown, copy: EventCopy) => void,
): Promise<readonly CopiedEvent[]> {
  const events: CopiedEvent[] = [];
  for (const [shard, several] of Map.groupBy(copies, (copy) => copy.shard)) {
    const bodies = await redis.hmget(accountKeys.sent(shard), ...several.map(({ name }) => name));
    for (const [at, copy] of several.entries())
      try {
        const body = bodies[at] ?? undefined;
        if (body === undefined) continue;
        const event = readEvent(body);
        events.push({ ...copy, event, message: messageOf(event, body) });
      } catch (error) {
        onUnreadable?.(error, copy);
      }
  }
  return events;
}

/** Removes the copies of events that `readCopies` has returned. */
export async function removeReadCopies(redis: Redis, events: readonly CopiedEvent[]): Promise<void> {
  const byShard = Map.groupBy(events, ({ shard }) => shard);
  await Promise.all(
    [...byShard].map(([shard, several]) => redis.hdel(accountKeys.sent(shard), ...several.map(({ name }) => name))),
  );
}
