import { settle, settleSurely, type Outbox, type Settlement } from "@modelgate/accounts";
import type { Logger, Redis } from "@modelgate/platform";
import { holdsNotFound } from "./call-metrics.ts";

/** Settles calls off the answers' path, and remembers which are under way so that a drain can wait for them. */
export interface Settlements extends AsyncDisposable {
  /** Begins at once; the promise never rejects. */
  settle(settlement: Settlement): Promise<void>;
}

/** When a late call is told once more, and most that wait for it. */
const [sayAgainMs, mostLate] = [10_000, 10_000];

export function openSettlements({ redis, outbox, log }: { redis: Redis; outbox: Outbox; log: Logger }): Settlements {
  const pending = new Set<Promise<void>>();
  const late = new Set<NodeJS.Timeout>();

  /** Says once more, later, that a call found no hold: what the ledger was told may be lost with the same Redis. */
  function sayAgain(settlement: Settlement): void {
    if (late.size >= mostLate) return;
    const timer = setTimeout(() => {
      late.delete(timer);
      settle(redis, settlement).catch((error: unknown) =>
        log.warn({ err: error, callId: settlement.callId }, "a late call was told once only"),
      );
    }, sayAgainMs).unref();
    late.add(timer);
  }

  async function settleOne(settlement: Settlement): Promise<void> {
    try {
      const entry = await settleSurely(redis, settlement);
      if (entry === undefined) {
        holdsNotFound.inc();
        log.warn(
          { callId: settlement.callId },
          "no hold to settle: swept, never held, lost with a Redis, or settled by a try whose reply was lost",
        );
        if (settlement.onlyIfHeld !== true) sayAgain(settlement);
      } else outbox.push(entry);
    } catch (error) {
      log.error({ err: error, callId: settlement.callId }, "a call is left to the sweep");
    }
  }

  return {
    settle(settlement) {
      const step = settleOne(settlement).finally(() => pending.delete(step));
      pending.add(step);
      return step;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pending);
      for (const timer of late) clearTimeout(timer);
    },
  };
}
