import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** A seat that an open call holds of its limits' concurrency. */
export interface Seat {
  readonly accountId: string;
  readonly limitsId: string;
  readonly permitId: string;
}

const giveBack = defineScript({
  file: new URL("leave.lua", import.meta.url),
  keys: ["seats"],
  args: { permit: "text" },
  grouped: true,
  replies: { left: {} },
});

/** Releases a seat. One that is never released expires with its lease. */
export async function leave(redis: Redis, { accountId, limitsId, permitId }: Seat): Promise<void> {
  await giveBack(redis, { seats: accountKeys.seats(accountId, limitsId) }, { permit: permitId });
}

/** Prolongs the leases of seats whose calls are still open; one that has expired is not taken again. */
export async function renewSeats(
  redis: Redis,
  seats: Iterable<Seat>,
  leaseMs: number,
  nowMs = Date.now(),
): Promise<void> {
  // Written together by the connection; one pipeline of ours would have to stay on one node of a cluster.
  await Promise.all(
    Array.from(seats, ({ accountId, limitsId, permitId }) => {
      const key = accountKeys.seats(accountId, limitsId);
      return Promise.all([redis.zadd(key, "XX", nowMs + leaseMs, permitId), redis.pexpire(key, leaseMs * 2, "GT")]);
    }),
  );
}
