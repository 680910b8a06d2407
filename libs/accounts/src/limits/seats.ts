import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { clockScript } from "../shared-scripts.ts";

/** One place of an open call within a limit of concurrency. */
export interface Seat {
  readonly accountId: string;
  readonly limitsId: string;
  readonly seatId: string;
}

const leaveScript = defineScript({
  file: new URL("leave.lua", import.meta.url),
  keys: ["seats"],
  args: { seatId: "text" },
  grouped: true,
  replies: { left: {} },
});

/** Releases a seat. Otherwise it expires with its lease. */
export async function releaseSeat(redis: Redis, { accountId, limitsId, seatId }: Seat): Promise<void> {
  await leaveScript(redis, { seats: accountKeys.seats(accountId, limitsId) }, { seatId });
}

const renewScript = defineScript({
  file: new URL("renew.lua", import.meta.url),
  shared: [clockScript],
  keys: ["seats"],
  args: { seatId: "text", leaseMs: "number", nowMs: "number?" },
  grouped: true,
  replies: { renewed: {} },
});

/** Extends the leases of seats whose calls are still open. A seat that was removed after its lease is not restored. */
export async function renewSeats(redis: Redis, seats: Iterable<Seat>, leaseMs: number, nowMs?: number): Promise<void> {
  await Promise.all(
    Array.from(seats, ({ accountId, limitsId, seatId }) =>
      renewScript(redis, { seats: accountKeys.seats(accountId, limitsId) }, { seatId, leaseMs, nowMs }),
    ),
  );
}
