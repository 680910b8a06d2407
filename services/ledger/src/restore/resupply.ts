import { readSent, type SentEvent } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readServerState, msUntilBeat, type Bus, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { streamConsumers } from "../record-events.ts";
import { recordSent } from "./record-sent.ts";

/** Time, in ms, after which an event that is not in the books is published again. */
export const resupplyAfterMs = 15_000;
/** Interval, in ms, between two checks for events that are not in the books. */
const pollMs = 1_000;
const streams = Object.values(eventStreams);

/** Dependencies of the repeated publishing. */
export interface ResupplyOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: Pick<BooksConnection, "fill">;
  readonly log: Logger;
  readonly afterMs: number;
}

/**
 * Publishes events again that never reached the books: a stream was deleted, or JetStream lost its store, before it was
 * read. Does so immediately if a stream is recreated; otherwise if an event has been in transit for long although the
 * streams were read to the end. Duplicates count once. An event that JetStream discards as a duplicate would never
 * arrive, so it is also written into the books directly.
 */
export function startResupplying(options: ResupplyOptions): AsyncDisposable {
  const { log } = options;
  const state = { stopped: false };
  const sleep = Promise.withResolvers<void>();
  const resupply = resupplier(options);

  async function run(): Promise<void> {
    while (!state.stopped) {
      await resupply().catch((error: unknown) => log.debug({ err: error }, "sent events are not looked through"));
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, msUntilBeat(pollMs)))]);
    }
  }

  const going = run();
  return {
    async [Symbol.asyncDispose]() {
      state.stopped = true;
      sleep.resolve();
      await going;
    },
  };
}

function resupplier({ redis, bus, connection, log, afterMs }: ResupplyOptions): () => Promise<void> {
  /** Time at which each event in transit was first seen. */
  let seen = new Map<string, number>();
  let newest: readonly number[] = [];
  /** Write position that the servers reported when no event was in transit. */
  let emptyAt: string | undefined;

  async function publish(events: readonly SentEvent[]): Promise<void> {
    if (events.length === 0) return;
    const bodies = events.map(({ subject, event, messageId: id }) => ({ subject, body: JSON.stringify(event), id }));
    const results = await bus.publish(bodies);
    const stored = events.filter((_, at) => results[at] === undefined);
    if (stored.length === 0) return;
    await connection.fill((books) => recordSent({ redis, books }, stored));
    for (const { name } of stored) seen.delete(name);
    log.warn({ events: stored.length }, "events missing from the books are published again");
  }

  return async () => {
    if (!bus.connected) return;
    const now = performance.now();
    const { writes } = await readServerState(redis);
    if (writes !== undefined && writes === emptyAt) return;
    const sent = await readSent(redis);
    emptyAt = sent.length === 0 ? writes : undefined;
    const found = await Promise.all(streams.map(({ name }) => bus.progress(name, streamConsumers[name])));
    const progress = found.filter((one) => one !== undefined);
    if (progress.length < found.length) return; // a stream is missing, and is about to be recreated
    const isAnew = progress.some(({ last }, at) => last < (newest[at] ?? 0));
    newest = progress.map(({ last }) => last);
    seen = new Map(sent.map(({ name }) => [name, seen.get(name) ?? now]));
    if (isAnew) return publish(sent);
    if (progress.every(({ last, handled }) => handled >= last))
      await publish(sent.filter(({ name }) => now - (seen.get(name) ?? now) > afterMs));
  };
}
