import { releaseSurely, settleSurely, type Outbox, type Release, type Settlement } from "@modelgate/accounts";
import type { Logger, Redis } from "@modelgate/platform";
import { holdsNotFound } from "./call-metrics.ts";

/** Ends holds off the answers' path, and remembers which are being ended so that a drain can wait for them. */
export interface Settlements extends AsyncDisposable {
  /** Settles a hold, beginning at once; the promise never rejects. */
  settle(settlement: Settlement): Promise<void>;
  /** Gives a hold back, beginning at once; the promise never rejects. */
  release(release: Release): Promise<void>;
}

/** Opens the settlements of a process; disposal waits until all that began are done. */
export function openSettlements({ redis, outbox, log }: { redis: Redis; outbox: Outbox; log: Logger }): Settlements {
  const pending = new Set<Promise<void>>();

  function run(callId: string, step: () => Promise<void>): Promise<void> {
    const done = step()
      .catch((error: unknown) => log.error({ err: error, callId }, "a hold is left to the sweep"))
      .finally(() => pending.delete(done));
    pending.add(done);
    return done;
  }

  return {
    settle: (settlement) =>
      run(settlement.callId, async () => {
        const entry = await settleSurely(redis, settlement);
        if (entry !== undefined) return outbox.push(entry);
        holdsNotFound.inc();
        log.warn(
          { callId: settlement.callId },
          "no hold to settle: swept, never held, or settled by a try whose reply was lost",
        );
      }),
    release: (release) => run(release.callId, async () => void (await releaseSurely(redis, release))),
    async [Symbol.asyncDispose]() {
      await Promise.all(pending);
    },
  };
}
