import { isRecordable, isInvalidData, recordCalls, recordCredits, recordTasks, type Books } from "@modelgate/books";
import { removeCopies, type OutboxEvent } from "@modelgate/accounts";
import {
  CreditEvent,
  eventStreams,
  Failure,
  readTaskEvent,
  readUsageEvent,
  recordParser,
  type StoredTaskEvent,
  type UsageEvent,
} from "@modelgate/contracts";
import { nextTurn, type Bus, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";
import { countUsage } from "./ledger-metrics.ts";

/** Dependencies of the recording of events. */
export interface RecordingOptions {
  readonly bus: Bus;
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  readonly maxPerTransaction: number;
  /** Time in ms to wait for more events after a first one. */
  readonly gatherMs: number;
  /** Called with the accounts of a recorded batch. */
  readonly onAccounts?: ((accounts: Iterable<string>) => void) | undefined;
  /** Called with the usage events of a recorded batch, before they are acknowledged. */
  readonly onCalls?: ((books: Books, events: readonly UsageEvent[]) => Promise<void>) | undefined;
  /** Called with the task events of a recorded batch. */
  readonly onTasks?: ((events: readonly StoredTaskEvent[]) => void) | undefined;
}

/** Names of the durable consumers, by stream. */
export const streamConsumers = { USAGE: "ledger", CREDITS: "books", TASKS: "books" } as const satisfies Record<
  (typeof eventStreams)[keyof typeof eventStreams]["name"],
  string
>;

type RecordBatch<Event> = (books: Books, events: readonly Event[]) => Promise<unknown>;

/**
 * Records events of all streams in the books, and then acknowledges them. While the books are unavailable, events stay
 * in JetStream.
 */
export function startRecording(options: RecordingOptions): AsyncDisposable {
  const { bus, gatherMs } = options;
  const { usage, credits, tasks } = eventStreams;
  const recordUsage: RecordBatch<UsageEvent> = async (books, events) => {
    countUsage(await recordCalls(books, events));
    options.onAccounts?.(new Set(events.map(({ accountId }) => accountId)));
    // Includes repeated events, because an earlier attempt may have failed before this line.
    await options.onCalls?.(books, events);
  };
  const recordTaskEvents: RecordBatch<StoredTaskEvent> = async (books, events) => {
    await recordTasks(books, events);
    options.onTasks?.(events);
  };
  const readers = [
    bus.consume(
      usage.name,
      streamConsumers.USAGE,
      gatherMs,
      createBatchRecorder(options, recordUsage, readUsageEvent, isRecordable),
    ),
    bus.consume(
      credits.name,
      streamConsumers.CREDITS,
      gatherMs,
      createBatchRecorder(options, recordCredits, recordParser("credit event", CreditEvent), hasTime),
    ),
    bus.consume(
      tasks.name,
      streamConsumers.TASKS,
      gatherMs,
      createBatchRecorder(options, recordTaskEvents, readTaskEvent, hasTime),
    ),
  ];
  return {
    // In parallel, because each reader waits until its fetch has ended.
    async [Symbol.asyncDispose]() {
      await Promise.all(readers.map((reader) => reader[Symbol.asyncDispose]()));
    },
  };
}

function hasTime(event: { readonly accountId?: string; readonly time?: string } | null): boolean {
  return typeof event?.accountId === "string" && !Number.isNaN(Date.parse(event.time ?? ""));
}

/** Returns a function that records a batch of events. It logs and skips invalid events. */
function createBatchRecorder<Event extends OutboxEvent>(
  { redis, connection, log, maxPerTransaction: maxAtOnce }: RecordingOptions,
  record: RecordBatch<Event>,
  read: (body: string) => Event,
  isValid: (event: Event) => boolean,
): (bodies: readonly string[]) => Promise<void> {
  const recordAll = async (events: readonly Event[]): Promise<void> => {
    try {
      await connection.useDuringMove((books) => record(books, events));
    } catch (error) {
      // The books are unavailable, read-only or full, so the batch is delivered again.
      if (error instanceof Failure || !isInvalidData(error)) throw error;
      if (events.length <= 1) return log.error({ err: error, events }, "an event cannot be recorded and is skipped");
      // At least one event is invalid. Halves isolate it.
      const middle = Math.ceil(events.length / 2);
      await recordAll(events.slice(0, middle));
      await recordAll(events.slice(middle));
    }
  };
  const readAll = (bodies: readonly string[]): readonly Event[] =>
    bodies.flatMap((body): readonly Event[] => {
      try {
        const event = read(body);
        if (isValid(event)) return [event];
        log.error({ bytes: body.length }, "an event that cannot be recorded is skipped");
      } catch (error) {
        log.error({ err: error, bytes: body.length }, "an event that cannot be read is skipped");
      }
      return [];
    });
  return async (bodies) => {
    for (let from = 0; from < bodies.length; from += maxAtOnce) {
      // Lets other work run, because the same process may serve calls.
      if (from > 0) await nextTurn();
      const events = readAll(bodies.slice(from, from + maxAtOnce));
      if (events.length > 0) await recordAll(events);
      // If the removal fails, the copies are published again later, and then removed.
      await removeCopies(redis, events).catch((error: unknown) =>
        log.debug({ err: error }, "copies of recorded events were not removed"),
      );
    }
    log.debug({ events: bodies.length }, "events recorded");
  };
}
