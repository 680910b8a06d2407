import { settleSurely, type Outbox, type Settlement } from "@modelgate/accounts";
import type { Logger, Redis } from "@modelgate/platform";
import { holdsNotFound } from "./call-metrics.ts";

/** Settles calls off the answers' path, and remembers which are under way so that a drain can wait for them. */
export interface Settlements extends AsyncDisposable {
  /** Begins at once; the promise never rejects. */
  settle(settlement: Settlement): Promise<void>;
}

export function openSettlements({ redis, outbox, log }: { redis: Redis; outbox: Outbox; log: Logger }): Settlements {
  const pending = new Set<Promise<void>>();

  async function settleOne(settlement: Settlement): Promise<void> {
    try {
      const entry = await settleSurely(redis, settlement);
      if (entry === undefined) {
        holdsNotFound.inc();
        log.warn(
          { callId: settlement.callId },
          "no hold to settle: swept, never held, or settled by a try whose reply was lost",
        );
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
    },
  };
}
