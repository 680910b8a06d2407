import type { Bus, Logger, Redis } from "@modelgate/platform";
import type { OutboxEntry } from "./publish.ts";
import { publishEntries } from "./publish.ts";

/** Publishes the events of this process in the background. */
export interface Outbox extends AsyncDisposable {
  /** Adds events that are stored in Redis already; several are published together. Never blocks or throws. */
  push(...entries: readonly OutboxEntry[]): void;
  /** Number of events that are neither published nor left to the ledger yet. */
  readonly waiting: number;
}

/**
 * Ms for which events are collected into a batch. A batch takes one round trip each to be remembered, published,
 * acknowledged and removed, as a single event would. Its events are stored in Redis meanwhile.
 */
const batchMs = 50;
/** Maximum events of one batch in flight. */
const batchSize = 512;
/** Maximum events in memory; further events stay in Redis, where the ledger finds them. */
const maxWaiting = 20_000;
/** Ms that shutdown waits for the last events; unpublished ones are left to the ledger. */
const lastFlightMs = 5_000;

/**
 * Opens the publisher of a service. It publishes in batches and waits for the acknowledgements in the background.
 * Delivery does not depend on it: an event is stored in Redis before it is added, and unpublished events are left to
 * the ledger.
 */
export function openOutbox({ redis, bus, log }: { redis: Redis; bus: Bus; log: Logger }): Outbox {
  let queue: (readonly OutboxEntry[])[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flight: Promise<void> | undefined;

  async function fly(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize).flat();
      queue = queue.slice(batchSize);
      try {
        await publishEntries(redis, bus, batch);
      } catch (error) {
        log.warn({ err: error, events: batch.length }, "events were not published: the ledger will publish them");
      }
    }
  }

  function depart(): void {
    timer = undefined;
    flight ??= fly().finally(() => {
      flight = undefined;
      if (queue.length > 0) timer ??= setTimeout(depart, batchMs);
    });
  }

  return {
    get waiting() {
      return queue.length;
    },
    push(...entries) {
      if (entries.length === 0 || !bus.connected || queue.length >= maxWaiting) return;
      queue.push(entries);
      timer ??= setTimeout(depart, batchMs);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      const flown = (async () => {
        await flight;
        await fly();
      })();
      const deadline = Promise.withResolvers<void>();
      const alarm = setTimeout(deadline.resolve, lastFlightMs);
      await Promise.race([flown, deadline.promise]);
      clearTimeout(alarm);
    },
  };
}
