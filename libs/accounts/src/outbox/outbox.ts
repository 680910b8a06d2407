import type { Bus, Logger, Redis } from "@modelgate/platform";
import type { OutboxEntry } from "./publish.ts";
import { publishEntries } from "./publish.ts";

/** Publishes the events of this process in the background. */
export interface Outbox extends AsyncDisposable {
  /** Adds events that are already stored in Redis. Never blocks or throws. */
  push(...entries: readonly OutboxEntry[]): void;
  /** Number of calls of `push` whose events wait for their batch. */
  readonly waiting: number;
}

/** Time in ms for which events are collected into a batch. */
const batchMs = 50;
const batchSize = 512;
/** Maximum number of waiting calls of `push`. Further events are published by the ledger. */
const maxWaiting = 20_000;
/** Maximum ms that shutdown waits for the last events. The ledger publishes the rest. */
const maxShutdownMs = 5_000;

/**
 * Opens the publisher of a service, which publishes events in batches. Delivery does not depend on it: the ledger
 * publishes events that remain in Redis.
 */
export function openOutbox({ redis, bus, log }: { redis: Redis; bus: Bus; log: Logger }): Outbox {
  let queue: (readonly OutboxEntry[])[] = [];
  let timer: NodeJS.Timeout | undefined;
  let publishing: Promise<void> | undefined;

  async function publishQueue(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize).flat();
      queue = queue.slice(batchSize);
      try {
        await publishEntries(redis, bus, batch, log);
      } catch (error) {
        log.warn({ err: error, events: batch.length }, "events were not published: the ledger will publish them");
      }
    }
  }

  function startPublishing(): void {
    timer = undefined;
    publishing ??= publishQueue().finally(() => {
      publishing = undefined;
      if (queue.length > 0) timer ??= setTimeout(startPublishing, batchMs);
    });
  }

  return {
    get waiting() {
      return queue.length;
    },
    push(...entries) {
      if (entries.length === 0 || !bus.connected || queue.length >= maxWaiting) return;
      queue.push(entries);
      timer ??= setTimeout(startPublishing, batchMs);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      const allPublished = (async () => {
        await publishing;
        await publishQueue();
      })();
      const deadline = Promise.withResolvers<void>();
      const alarm = setTimeout(deadline.resolve, maxShutdownMs);
      await Promise.race([allPublished, deadline.promise]);
      clearTimeout(alarm);
    },
  };
}
