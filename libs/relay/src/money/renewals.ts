import { renewHold } from "@modelgate/accounts";
import type { Nanos, UsageDraft } from "@modelgate/contracts";
import { onBeat, OpenList, showLeases, type Logger, type Redis } from "@modelgate/platform";

/** What is certain of a call by now. */
export interface Progress {
  readonly floorNanos: Nanos;
  /** The usage event of a call that ends here. */
  readonly draft: UsageDraft;
}

/** A hold whose lease is to be renewed. */
export interface RenewedHold {
  readonly accountId: string;
  readonly callId: string;
  /** What is certain by now; undefined where that is still what it was when the money was held. */
  progress(): Progress | undefined;
}

/** Renews the leases of all holds of a process. */
export interface Renewals extends Disposable {
  /** Renews a hold's lease until disposed. */
  keep(hold: RenewedHold): Disposable;
}

/** Renews each lease three times within its length. */
export function openRenewals({ redis, log, leaseMs }: { redis: Redis; log: Logger; leaseMs: number }): Renewals {
  const open = new OpenList<RenewedHold>();
  const shown = showLeases("holds", () => open.size);
  const renewals = onBeat(leaseMs / 3, () => {
    for (const { accountId, callId, progress } of open) {
      renewHold(redis, { accountId, callId, leaseMs, ...progress() }).catch((error: unknown) =>
        log.debug({ err: error, callId }, "hold not renewed"),
      );
    }
  });
  return {
    keep(hold) {
      const listed = open.add(hold);
      return { [Symbol.dispose]: () => void listed.remove() };
    },
    [Symbol.dispose]() {
      renewals[Symbol.dispose]();
      shown[Symbol.dispose]();
    },
  };
}
