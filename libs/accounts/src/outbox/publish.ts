import { Type } from "typebox";
import {
  creditSubject,
  CreditEvent,
  KeptTaskEvent,
  stored,
  taskSubject,
  UsageDraft,
  UsageEvent,
  usageSubject,
  type Area,
} from "@modelgate/contracts";
import type { Bus, BusMessage, Redis } from "@modelgate/platform";
import { accountKeys, shardOf, shards } from "../keys.ts";
import { receiptOf } from "../money/receipt.ts";

/** An event that is published through the outbox: a settled call, a task's transition, or a change of a balance. */
export type OutboxEvent = UsageEvent | KeptTaskEvent | CreditEvent;

/** An event that is in the outbox, and its text: it is written once for all that it is sent to. */
interface SerializedEntry {
  readonly entry: OutboxEntry;
  readonly text: string;
}

/** An event that is in the outbox. */
export interface OutboxEntry<Event extends OutboxEvent = OutboxEvent> {
  readonly shard: string;
  readonly entryId: string;
  readonly event: Event;
}

const areas: readonly Area[] = ["text", "media", "video", "audio", "realtime"];
const usageSubjects: ReadonlyMap<string, string> = new Map(areas.map((area) => [area, usageSubject(area)]));

/** The subject that an event is published under. */
export function subjectOf(event: OutboxEvent): string {
  if ("kind" in event) return creditSubject(event.kind);
  if ("state" in event) return taskSubject(event.state);
  return usageSubjects.get(event.area) ?? usageSubject("edge");
}

/** The event's id; a call that was charged again has a new event, which is not a duplicate of the first. */
export function messageId(event: OutboxEvent): string {
  const receipt = "receipt" in event ? event.receipt : undefined;
  return receipt?.replaces === undefined ? event.id : `${event.id}.${receipt.hash}`;
}

/**
 * Publishes events and removes them from the outbox once JetStream has stored them; how many. What fails stays in
 * the outbox, and with it what follows of the same task. An event that is published twice (its removal was lost) is
 * dropped by its `Nats-Msg-Id`, the event's id. Until it is in the books it is remembered beside the outbox (`rememberSent`).
 */
export async function publishEntries(redis: Redis, bus: Bus, entries: readonly OutboxEntry[]): Promise<number> {
  const written: SerializedEntry[] = [];
  for (const entry of entries) written.push({ entry, text: JSON.stringify(entry.event) });
  const byShard = Map.groupBy(written, ({ entry }) => entry.shard);
  try {
    await rememberSent(redis, byShard);
  } catch {
    // Without Redis they are published all the more: it may have lost them.
  }
  const done = await publishInTurns(bus, written);
  const removals: Promise<unknown>[] = [];
  for (const [shard, several] of byShard) {
    const gone: string[] = [];
    const failed: OutboxEvent[] = [];
    for (const { entry } of several)
      if (done.has(entry)) gone.push(entry.entryId);
      else failed.push(entry.event);
    if (gone.length > 0) removals.push(redis.xdel(accountKeys.outbox(shard), ...gone));
    if (failed.length > 0) removals.push(forgetSent(redis, failed));
  }
  await Promise.all(removals);
  return done.size;
}

/** Those that were stored: of the events of a task each is published when the one before it is, all others at once. */
async function publishInTurns(bus: Bus, entries: readonly SerializedEntry[]): Promise<ReadonlySet<OutboxEntry>> {
  const done = new Set<OutboxEntry>();
  for (let waiting = entries; waiting.length > 0;) {
    const [turn, later] = inTurn(waiting);
    let results: readonly unknown[];
    try {
      results = await bus.publish(turn.map(messageOf));
    } catch (error) {
      results = turn.map(() => error);
    }
    const isStuck = new Set<string>();
    for (const [at, written] of turn.entries())
      if (results[at] === undefined) done.add(written.entry);
      else isStuck.add(orderOf(written)); // left where it is, with those behind it
    waiting = isStuck.size === 0 ? later : later.filter((written) => !isStuck.has(orderOf(written)));
  }
  return done;
}

/** The first event of each task, and every other event; then what must wait for those. */
function inTurn(
  entries: readonly SerializedEntry[],
): [now: readonly SerializedEntry[], later: readonly SerializedEntry[]] {
  const seen = new Set<string>();
  const now: SerializedEntry[] = [];
  const later: SerializedEntry[] = [];
  for (const written of entries) {
    const order = orderOf(written);
    (seen.has(order) ? later : now).push(written);
    seen.add(order);
  }
  return [now, later];
}

/** Events with the same name are published in their order. */
function orderOf({ entry: { event } }: SerializedEntry): string {
  return "taskId" in event ? event.taskId : event.id;
}

function messageOf({ entry: { event }, text }: SerializedEntry): BusMessage {
  return { subject: subjectOf(event), body: text, id: messageId(event) };
}

/**
 * The events of a shard that have waited at least `olderThanMs`: a service died before it published them, or NATS
 * was away. The settled cost is composed here, exactly. An entry that cannot be read goes to `onUnreadable`, which throws
 * unless given, and stays in the outbox.
 */
export async function readLeftovers(
  redis: Redis,
  shard: string,
  olderThanMs: number,
  limit: number,
  onUnreadable: (error: unknown, entryId: string) => void = rethrow,
): Promise<readonly OutboxEntry[]> {
  const entries = await redis.xrange(accountKeys.outbox(shard), "-", String(Date.now() - olderThanMs), "COUNT", limit);
  return entries.flatMap(([entryId, fields]) => {
    try {
      return [{ shard, entryId, event: eventOf(fields) }];
    } catch (error) {
      onUnreadable(error, entryId);
      return [];
    }
  });
}

function rethrow(error: unknown): never {
  throw error;
}

/** Returns the number of events that wait in a shard. */
export async function outboxLength(redis: Redis, shard: string): Promise<number> {
  return redis.xlen(accountKeys.outbox(shard));
}

const readTaskEvent = stored("task event", KeptTaskEvent);
const readCreditEvent = stored("credit event", CreditEvent);
const readDraft = stored("usage event", UsageDraft);

function eventOf(fields: readonly string[]): OutboxEvent {
  const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? "";
  if (fields[0] === "task") return readTaskEvent(field("task"));
  if (fields[0] === "credit") return readCreditEvent(field("credit"));
  return {
    ...readDraft(field("event")),
    costNanos: (BigInt(field("cost")) - BigInt(field("uncovered"))).toString(),
    receipt: {
      ...receiptOf({
        number: Number(field("number")),
        previous: field("previous"),
        balance: field("balance"),
        hash: field("hash"),
      }),
      ...(fields.includes("replaces") && field("replaces") !== "" ? { replaces: field("replaces") } : {}),
    },
  };
}

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
async function rememberSent(redis: Redis, byShard: ReadonlyMap<string, readonly SerializedEntry[]>): Promise<void> {
  const steps: Promise<void>[] = [];
  for (const [shard, several] of byShard) steps.push(rememberIn(redis, shard, several));
  await Promise.all(steps);
}

async function rememberIn(redis: Redis, shard: string, several: readonly SerializedEntry[]): Promise<void> {
  const key = accountKeys.sent(shard);
  if ((await redis.hlen(key)) + several.length > maxRemembered) return;
  const fields: string[] = [];
  for (const { entry, text } of several) fields.push(nameOf(entry.event), text);
  await redis.hset(key, ...fields);
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
