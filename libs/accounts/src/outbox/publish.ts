import { CreditEvent, KeptTaskEvent, stored, UsageDraft } from "@modelgate/contracts";
import type { Bus, BusMessage, Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { receiptOf } from "../money/receipt.ts";
import { messageId, subjectOf, type OutboxEntry, type OutboxEvent, type WrittenEntry } from "./entry.ts";
import { forgetSent, rememberSent } from "./sent.ts";

/**
 * Publishes events and removes them from the outbox once JetStream has stored them; how many. What fails stays in
 * the outbox, and with it what follows of the same task. An event that is published twice (its removal was lost) is
 * dropped by its `Nats-Msg-Id`, the event's id. Until it is in the books it is remembered beside the outbox (sent.ts).
 */
export async function publishEntries(redis: Redis, bus: Bus, entries: readonly OutboxEntry[]): Promise<number> {
  const written = entries.map((entry) => ({ entry, text: JSON.stringify(entry.event) }));
  // Without Redis they are published all the more: it may have lost them.
  await rememberSent(redis, written).catch(() => undefined);
  const done = await publishInTurns(bus, written);
  const isDone = new Set(done);
  const failed = entries.filter((entry) => !isDone.has(entry));
  const byShard = Map.groupBy(done, ({ shard }) => shard);
  await Promise.all([
    ...[...byShard].map(([shard, gone]) =>
      redis.xdel(accountKeys.outbox(shard), ...gone.map(({ entryId }) => entryId)),
    ),
    forgetSent(
      redis,
      failed.map(({ event }) => event),
    ),
  ]);
  return done.length;
}

/** Those that were stored: of the events of a task each is published when the one before it is, all others at once. */
async function publishInTurns(bus: Bus, entries: readonly WrittenEntry[]): Promise<readonly OutboxEntry[]> {
  const done: OutboxEntry[] = [];
  let [turn, later] = inTurn(entries);
  while (turn.length > 0) {
    const results = await bus.publish(turn.map(messageOf)).catch((error: unknown) => turn.map(() => error));
    const isStuck = new Set<string>();
    for (const [at, written] of turn.entries())
      if (results[at] === undefined) done.push(written.entry);
      else isStuck.add(orderOf(written)); // left where it is, with those behind it
    [turn, later] = inTurn(later.filter((written) => !isStuck.has(orderOf(written))));
  }
  return done;
}

/** The first event of each task, and every other event; then what must wait for those. */
function inTurn(entries: readonly WrittenEntry[]): [now: readonly WrittenEntry[], later: readonly WrittenEntry[]] {
  const seen = new Set<string>();
  const now: WrittenEntry[] = [];
  const later: WrittenEntry[] = [];
  for (const written of entries) {
    const order = orderOf(written);
    (seen.has(order) ? later : now).push(written);
    seen.add(order);
  }
  return [now, later];
}

/** Events with the same name are published in their order. */
function orderOf({ entry: { event } }: WrittenEntry): string {
  return "taskId" in event ? event.taskId : event.id;
}

function messageOf({ entry: { event }, text }: WrittenEntry): BusMessage {
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
