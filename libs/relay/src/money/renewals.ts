import { renewHold } from "@modelgate/accounts";
import type { Nanos, UsageDraft } from "@modelgate/contracts";
import { leasesHeld, type Logger, type Redis } from "@modelgate/platform";

/** An open call, as its hold's lease sees it. */
interface Renewed {
  readonly accountId: string;
  readonly callId: string;
  /** What is certain by now. */
  progress(): { readonly floorNanos: Nanos; readonly draft: UsageDraft };
}

/** Keeps the leases of open calls' holds, all of a process together. */
export interface Renewals extends Disposable {
  /** Keeps a call's hold until disposed. */
  keep(call: Renewed): Disposable;
}

export function openRenewals({ redis, log, leaseMs }: { redis: Redis; log: Logger; leaseMs: number }): Renewals {
  const open = new Set<Renewed>();
  const timer = setInterval(() => {
    for (const call of open) {
      renewHold(redis, { accountId: call.accountId, callId: call.callId, leaseMs, ...call.progress() }).catch(
        (error: unknown) => log.debug({ err: error, callId: call.callId }, "hold not renewed"),
      );
    }
  }, leaseMs / 3);
  timer.unref();
  return {
    keep(call) {
      open.add(call);
      leasesHeld.set({ of: "holds" }, open.size);
      return {
        [Symbol.dispose]: () => {
          open.delete(call);
          leasesHeld.set({ of: "holds" }, open.size);
        },
      };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
