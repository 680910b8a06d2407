import type { Bus, Logger, Redis } from "@modelgate/platform";
import type { OutboxEntry } from "./publish.ts";
import { publishEntries } from "./publish.ts";

/** Publishes what this process settled, off the answers' path. */
export interface Outbox extends AsyncDisposable {
  /** Takes events that are in Redis already, several to be published together; never blocks, never fails. */
  push(...entries: readonly OutboxEntry[]): void;
  /** Number of events that are neither published nor left to the ledger yet. */
  readonly waiting: number;
}

/**
 * Time for which events are collected into a batch. A batch takes one round trip each to be remembered, published,
 * acknowledged and removed, as a single event would. Meanwhile its events are safe in Redis.
 */
const batchMs = 50;
/** Maximum events of one batch in flight. */
const batchSize = 512;
/** Maximum events remembered here; what is beyond stays in Redis, where the ledger finds it. */
const maxWaiting = 20_000;
/** Time that the end of a process waits for its last events; those not published by then are left to the ledger. */
const lastFlightMs = 5_000;

/**
 * The publisher of a service: batches of some milliseconds, acknowledged in the background. It keeps no promise of
 * its own: an event is safe in Redis before it comes here, and whatever is not published is left to the ledger.
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
