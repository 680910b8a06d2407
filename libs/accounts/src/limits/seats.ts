import type { Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";

/** A seat that an open call holds on its token's concurrency. */
export interface Seat {
  readonly accountId: string;
  readonly tokenId: string;
  readonly permitId: string;
}

/** Gives a seat back. One that is never given back expires with its lease. */
export async function leave(redis: Redis, { accountId, tokenId, permitId }: Seat): Promise<void> {
  await redis.zrem(keys.seats(accountId, tokenId), permitId);
}

/** Prolongs the leases of seats whose calls are still open; one that has expired is not taken again. */
export async function renewSeats(
  redis: Redis,
  seats: Iterable<Seat>,
  leaseMs: number,
  nowMs = Date.now(),
): Promise<void> {
  const pipeline = redis.pipeline();
  for (const { accountId, tokenId, permitId } of seats) {
    const key = keys.seats(accountId, tokenId);
    pipeline.zadd(key, "XX", nowMs + leaseMs, permitId);
    pipeline.pexpire(key, leaseMs * 2);
  }
  if (pipeline.length > 0) await pipeline.exec();
}
