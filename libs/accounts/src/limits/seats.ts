import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** A seat that an open call holds on its token's concurrency. */
export interface Seat {
  readonly accountId: string;
  readonly tokenId: string;
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
export async function leave(redis: Redis, { accountId, tokenId, permitId }: Seat): Promise<void> {
  await giveBack(redis, { seats: accountKeys.seats(accountId, tokenId) }, { permit: permitId });
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
    Array.from(seats, ({ accountId, tokenId, permitId }) => {
      const key = accountKeys.seats(accountId, tokenId);
      return Promise.all([redis.zadd(key, "XX", nowMs + leaseMs, permitId), redis.pexpire(key, leaseMs * 2, "GT")]);
    }),
  );
}
