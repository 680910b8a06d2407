import { readCopies, type CopiedEvent } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readServerState, msUntilSharedTick, type Bus, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { streamConsumers } from "../record-events.ts";
import { recordPublished } from "./record-copies.ts";

/** Time in ms after which an event that is not in the books is published again. */
export const republishAfterMs = 15_000;
const pollMs = 1_000;
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
  /** Time at which the copy of each event was first seen, by the copy's name. */
  let firstSeenAt = new Map<string, number>();
  /** Creation times of the streams at the last check. */
  let knownStreams: readonly string[] = [];
  /**
   * `writes` of Redis (`readServerState`) at the last check without events. While it is unchanged, checks are skipped.
   */
  let emptyAt: string | undefined;

  async function publish(events: readonly CopiedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const results = await bus.publish(events.map(({ message }) => message));
    const stored = events.filter((_, at) => results[at] === undefined);
    if (stored.length === 0) return;
    await connection.useDuringMove((books) => recordPublished({ redis, books }, stored));
    for (const { name } of stored) firstSeenAt.delete(name);
    log.warn({ events: stored.length }, "events that are not in the books are published again");
  }

  return async () => {
    if (!bus.connected) return;
    const now = performance.now();
    const { writes } = await readServerState(redis);
    if (writes !== undefined && writes === emptyAt) return;
    const published = await readCopies(redis);
    emptyAt = published.length === 0 ? writes : undefined;
    const results = await Promise.all(streams.map(({ name }) => bus.readProgress(name, streamConsumers[name])));
    const progress = results.filter((value) => value !== undefined);
    if (progress.length < results.length) return; // a stream is missing, and is about to be recreated
    const isRecreated = progress.some(({ created }, at) => created !== (knownStreams[at] ?? created));
    knownStreams = progress.map(({ created }) => created);
    firstSeenAt = new Map(published.map(({ name }) => [name, firstSeenAt.get(name) ?? now]));
    if (isRecreated) return publish(published);
    if (progress.every(({ last, handled }) => handled >= last))
      await publish(published.filter(({ name }) => now - (firstSeenAt.get(name) ?? now) > afterMs));
  };
}
