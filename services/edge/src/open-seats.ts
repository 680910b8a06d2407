import type { ServerResponse } from "node:http";
import { releaseSeat, renewSeats, type Seat } from "@modelgate/accounts";
import { idSource, runOnSharedTick, OpenList, registerLeaseCount, type Logger, type Redis } from "@modelgate/platform";

/** Seats of the open calls of this edge. */
export type OpenSeats = ReturnType<typeof openSeats>;

/** Renews the seats of open calls until disposed. */
export function openSeats({ redis, log, leaseMs }: { redis: Redis; log: Logger; leaseMs: number }) {
  const heldSeats = new OpenList<Seat>();
  const leaseCount = registerLeaseCount("seats", () => heldSeats.size);
  const quietly = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "seats expire with their leases"));
  const renewals = runOnSharedTick(leaseMs / 3, () => {
    if (heldSeats.size > 0) quietly(renewSeats(redis, heldSeats, leaseMs));
  });
  return {
    leaseMs,
    newSeatId: idSource("seat"),
    /** Renews a call's seat until the answer is written or the connection closes, and then releases it. */
    renewUntilEnd(seat: Seat, response: ServerResponse): void {
      const entry = heldSeats.add(seat);
      const release = (): void => {
        if (entry.remove()) quietly(releaseSeat(redis, seat));
      };
      if (response.destroyed) release();
      else response.on("prefinish", release).on("close", release);
    },
    [Symbol.dispose](): void {
      renewals[Symbol.dispose]();
      leaseCount[Symbol.dispose]();
    },
  };
}
