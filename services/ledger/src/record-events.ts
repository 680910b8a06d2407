import { isRecordable, isUnwritable, recordCalls, recordCredits, recordTasks, type Books } from "@modelgate/books";
import { forgetSent, type OutboxEvent } from "@modelgate/accounts";
import {
  CreditEvent,
  eventStreams,
  Failure,
  KeptTaskEvent,
  readUsageEvent,
  stored,
  type UsageEvent,
} from "@modelgate/contracts";
import { nextTurn, type Bus, type Counter, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";

/** Dependencies of the recording of events. */
export interface RecordingOptions {
  readonly bus: Bus;
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "fill">;
  readonly log: Logger;
  /** Maximum events of one transaction. */
  readonly maxAtOnce: number;
  readonly counted: Counter;
  /** Events with a unit that their model's price does not name, by model and unit. */
  readonly unpriced: Counter<"model" | "unit">;
  /** Called with the accounts of every batch that was recorded. */
  readonly noticed?: ((accounts: Iterable<string>) => void) | undefined;
  /** Called with the events of tasks of every batch that was recorded. */
  readonly noticedTasks?: ((events: readonly KeptTaskEvent[]) => void) | undefined;
}

/** The durable readers of the event streams, by stream. */
export const streamConsumers = { USAGE: "ledger", CREDITS: "books", TASKS: "books" } as const satisfies Record<
  (typeof eventStreams)[keyof typeof eventStreams]["name"],
  string
>;

/** Writes a batch of events into the books; how many were new. */
type Recording<Event> = (books: Books, events: readonly Event[]) => Promise<unknown>;

/**
 * Reads the event streams into the books: a batch is some transactions, and is acknowledged after the last. Deliveries may
 * repeat: what is there already is left out. While the books are away events wait in JetStream.
 */
export function startRecording(options: RecordingOptions): AsyncDisposable {
  const { bus, counted, unpriced } = options;
  const { usage, credits, tasks } = eventStreams;
  const calls: Recording<UsageEvent> = async (books, events) => {
    const added = await recordCalls(books, events);
    counted.inc(added.length);
    options.noticed?.(new Set(events.map(({ accountId }) => accountId)));
    for (const { model, unpriced: units = [] } of added) for (const unit of units) unpriced.inc({ model, unit });
  };
  const tasksOf: Recording<KeptTaskEvent> = async (books, events) => {
    await recordTasks(books, events);
    options.noticedTasks?.(events);
  };
  const reading = [
    bus.consume(usage.name, streamConsumers.USAGE, recorder(options, calls, readUsageEvent, isRecordable)),
    bus.consume(
      credits.name,
      streamConsumers.CREDITS,
      recorder(options, recordCredits, stored("credit event", CreditEvent), hasTime),
    ),
    bus.consume(
      tasks.name,
      streamConsumers.TASKS,
      recorder(options, tasksOf, stored("task event", KeptTaskEvent), hasTime),
    ),
  ];
  return {
    // Together: each waits for the end of its fetch.
    async [Symbol.asyncDispose]() {
      await Promise.all(reading.map((reader) => reader[Symbol.asyncDispose]()));
    },
  };
}

function hasTime(event: { readonly accountId?: string; readonly time?: string } | null): boolean {
  return typeof event?.accountId === "string" && !Number.isNaN(Date.parse(event.time ?? ""));
}

/** Takes the bodies of a batch; what cannot be read or recorded is logged and passed over, so that it holds up nothing. */
function recorder<Event extends OutboxEvent>(
  { redis, connection, log, maxAtOnce }: RecordingOptions,
  record: Recording<Event>,
  read: (body: string) => Event,
  isSound: (event: Event) => boolean,
): (bodies: readonly string[]) => Promise<void> {
  const recordAll = async (events: readonly Event[]): Promise<void> => {
    try {
      await connection.fill((books) => record(books, events));
    } catch (error) {
      // Away, read-only, full: the whole batch comes again until it is taken.
      if (error instanceof Failure || !isUnwritable(error)) throw error;
      if (events.length <= 1) return log.error({ err: error, events }, "an event cannot be recorded and is skipped");
      // One of them is wrong: the others are recorded without it.
      const middle = Math.ceil(events.length / 2);
      await recordAll(events.slice(0, middle));
      await recordAll(events.slice(middle));
    }
  };
  const readAll = (bodies: readonly string[]): readonly Event[] =>
    bodies.flatMap((body): readonly Event[] => {
      try {
        const event = read(body);
        if (isSound(event)) return [event];
        log.error({ bytes: body.length }, "an event that cannot be recorded is skipped");
      } catch (error) {
        log.error({ err: error, bytes: body.length }, "an event that cannot be read is skipped");
      }
      return [];
    });
  return async (bodies) => {
    for (let from = 0; from < bodies.length; from += maxAtOnce) {
      // Between two parts others get the event loop: in one process it answers calls too.
      if (from > 0) await nextTurn();
      const events = readAll(bodies.slice(from, from + maxAtOnce));
      if (events.length > 0) await recordAll(events);
      // What is not forgotten now is published once more, and forgotten then.
      await forgetSent(redis, events).catch((error: unknown) => log.debug({ err: error }, "sent events not forgotten"));
    }
    log.debug({ events: bodies.length }, "events recorded");
  };
}
