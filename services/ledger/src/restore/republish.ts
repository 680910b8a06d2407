import { listCopies, readCopies, type CopiedEvent, type EventCopy } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readServerState, msUntilSharedTick, type Bus, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { streamConsumers } from "../record-events.ts";
import { recordPublished } from "./record-copies.ts";

/** Time in ms after which an event that is not in the books is published again. */
export const republishAfterMs = 15_000;
const pollMs = 1_000;
/** Maximum number of events that are read and published at a time. */
const batchSize = 500;
const streams = Object.values(eventStreams);

/** Dependencies for publishing events again. */
export interface RepublishOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  readonly afterMs: number;
}

/**
 * Publishes events again that are not in the books after `afterMs`, or at once if a stream was recreated. Redis has
 * copies of these events. Also writes them into the books, because JetStream may discard them as duplicates.
 */
export function startRepublishing(options: RepublishOptions): AsyncDisposable {
  const { log } = options;
  const state = { isStopped: false };
  const sleep = Promise.withResolvers<void>();
  const republishMissing = createRepublisher(options);

  async function run(): Promise<void> {
    while (!state.isStopped) {
      await republishMissing().catch((error: unknown) =>
        log.debug({ err: error }, "published events could not be checked"),
      );
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, msUntilSharedTick(pollMs)))]);
    }
  }

  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      state.isStopped = true;
      sleep.resolve();
      await running;
    },
  };
}

function createRepublisher({ redis, bus, connection, log, afterMs }: RepublishOptions): () => Promise<void> {
  /** Time at which each copy was first seen, by its name. */
  let firstSeenAt = new Map<string, number>();
  /** Names of copies that cannot be read. */
  const unreadable = new Set<string>();
  /** Creation times of the streams at the last check. */
  let knownStreams: readonly string[] = [];
  /**
   * `writes` of Redis (`readServerState`) at the last check without events. While it is unchanged, checks are skipped.
   */
  let emptyAt: string | undefined;

  /** Publishes events, and returns those that NATS has stored. */
  async function publish(copies: readonly EventCopy[]): Promise<readonly CopiedEvent[]> {
    const events = await readCopies(redis, copies, (error, { shard, name }) => {
      unreadable.add(name);
      log.error({ err: error, shard, name }, "the copy of an event cannot be read and stays there");
    });
    if (events.length === 0) return [];
    const results = await bus.publish(events.map(({ message }) => message));
    return events.filter((_, at) => results[at] === undefined);
  }

  /** Publishes all events, also if the books are unavailable. Returns the error of the books. */
  async function publishAll(copies: readonly EventCopy[]): Promise<unknown> {
    let failure: unknown;
    let published = 0;
    for (let from = 0; from < copies.length; from += batchSize) {
      const stored = await publish(copies.slice(from, from + batchSize));
      published += stored.length;
      if (stored.length === 0 || failure !== undefined) continue;
      try {
        await connection.useDuringMove((books) => recordPublished({ redis, books }, stored));
        for (const { name } of stored) firstSeenAt.delete(name);
      } catch (error) {
        failure = error;
      }
    }
    if (published > 0) log.warn({ events: published }, "events that are not in the books are published again");
    return failure;
  }

  return async () => {
    if (!bus.connected) return;
    const now = performance.now();
    const { writes } = await readServerState(redis);
    if (writes !== undefined && writes === emptyAt) return;
    const results = await Promise.all(streams.map(({ name }) => bus.readProgress(name, streamConsumers[name])));
    const progress = results.filter((value) => value !== undefined);
    if (progress.length < results.length) return; // a stream is missing, and is about to be recreated
    const created = progress.map((stream) => stream.created);
    const isRecreated = created.some((time, at) => time !== (knownStreams[at] ?? time));
    if (!isRecreated) knownStreams = created;
    if (!isRecreated && progress.some(({ last, handled }) => handled < last)) return;
    const copies = (await listCopies(redis)).filter(({ name }) => !unreadable.has(name));
    emptyAt = copies.length === 0 ? writes : undefined;
    firstSeenAt = new Map(copies.map(({ name }) => [name, firstSeenAt.get(name) ?? now]));
    const due = isRecreated ? copies : copies.filter(({ name }) => now - (firstSeenAt.get(name) ?? now) > afterMs);
    const failure = await publishAll(due);
    knownStreams = created;
    if (failure !== undefined) throw failure;
  };
}
