import { channelKeyId, type CatalogChannel } from "@modelgate/catalog";
import { defineScript, runOnSharedTick, orUnavailable, type Logger, type Redis } from "@modelgate/platform";
import type { Attempt, Health } from "./health.ts";
import { channelKeyIdOf, type ChannelScope } from "./channel-scope.ts";

/** The concurrency seats of a running attempt. Dispose it when the exchange has ended. */
export interface OccupiedSeats extends Disposable {
  /** Reports that the vendor has begun to answer. Other calls may then use the scope that this call tested. */
  endProbes(): void;
}

/** Reason why an attempt may not use a route now. */
export interface SeatRefusal {
  /** Scope to skip for the remainder of the call: a channel, or one `channel/key`. */
  readonly scope: ChannelScope;
  /** `full`: a limit is reached; `probe`: another call is testing the scope after a cooldown. */
  readonly cause: "full" | "probe";
  readonly retryAfterMs: number;
}

/** Enforces the limits of channels and keys across all replicas. */
export interface Gate extends AsyncDisposable {
  /**
   * Occupies the seats of an attempt, or returns the reason for a refusal. `seatId` must be unique. With
   * `isLastResort` the attempt is sent even while another call tests the scope. Throws Failure server_overloaded if
   * Redis does not answer.
   */
  enter(attempt: Attempt, seatId: string, isLastResort?: boolean): OccupiedSeats | Promise<OccupiedSeats | SeatRefusal>;
}

/**
 * Time in ms after which a refused route may be tried again. It is a guess, because the end of the running calls is
 * unknown.
 */
const seatRetryMs = 1_000;
const takeSeatsScript = defineScript({
  file: new URL("take-seats.lua", import.meta.url),
  keys: ["minute", "seats[]"],
  args: { seatId: "text", leaseMs: "number", perMinute: "number", maxSeats: "number[]" },
  replies: { taken: {}, full: { set: "number" }, minute: { waitMs: "number" } },
});
const renewSeatsScript = defineScript({
  file: new URL("renew-seats.lua", import.meta.url),
  keys: ["seats[]"],
  args: { seatId: "text", leaseMs: "number" },
  replies: { renewed: {} },
});

/** Redis keys of a channel's limits. All keys of one channel are in one slot of a Redis cluster. */
export const limitRedisKeys = {
  minute: (channelId: string) => `channel:{${channelId}}:minute`,
  /** Seats in use of a channel, or of one of its keys. */
  seats: (channelId: string, keyId = "") => `channel:{${channelId}}:seats:${keyId}`,
  /** The call that tests a scope after its cooldown. */
  probe: (channelId: string, probe: string) => `channel:{${channelId}}:probe:${probe}`,
} as const;

/** A limited set of seats, of which an attempt needs one. */
interface SeatSet {
  readonly key: string;
  readonly seats: number;
  readonly scope: ChannelScope;
  readonly cause: SeatRefusal["cause"];
}

function doNothing(): void {
  // There is no seat to release
}

const unlimitedSeats: OccupiedSeats = { endProbes: doNothing, [Symbol.dispose]: doNothing };

/** Opens the gate. The seats of a dead process are free after `leaseMs`. */
export function openGate({
  redis,
  log,
  health,
  leaseMs,
}: {
  redis: Redis;
  log: Logger;
  health: Health;
  leaseMs: number;
}): Gate {
  const keysBySeat = new Map<string, readonly string[]>();
  const logFailure = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel seats not renewed"));
  const renewals = runOnSharedTick(leaseMs / 3, () => {
    for (const [seatId, keys] of keysBySeat) logFailure(renewSeatsScript(redis, { seats: keys }, { seatId, leaseMs }));
  });

  const release = (seatId: string, keys: readonly string[]): void => {
    const remaining = (keysBySeat.get(seatId) ?? []).filter((key) => !keys.includes(key));
    if (remaining.length > 0) keysBySeat.set(seatId, remaining);
    else keysBySeat.delete(seatId);
    for (const key of keys) logFailure(redis.zrem(key, seatId));
  };

  const occupySeats = async (channel: CatalogChannel, seatId: string, sets: readonly SeatSet[]) => {
    const { id, requestsPerMinute: perMinute = 0 } = channel;
    const reply = await orUnavailable(
      takeSeatsScript(
        redis,
        { minute: limitRedisKeys.minute(id), seats: sets.map(({ key }) => key) },
        { seatId, leaseMs, perMinute, maxSeats: sets.map(({ seats }) => seats) },
      ),
    );
    const refused = refusalOf(reply, sets, channel);
    if (refused !== undefined) return refused;
    if (sets.length === 0) return unlimitedSeats;
    const probes = sets.filter(({ cause }) => cause === "probe").map(({ key }) => key);
    keysBySeat.set(
      seatId,
      sets.map(({ key }) => key),
    );
    return {
      endProbes: () => release(seatId, probes.splice(0)),
      [Symbol.dispose]: () => release(seatId, keysBySeat.get(seatId) ?? []),
    };
  };

  return {
    enter(attempt, seatId, isLastResort = false) {
      const { channel } = attempt.route.candidate;
      const sets = seatSets(attempt, health, isLastResort);
      return sets.length === 0 && (channel.requestsPerMinute ?? 0) === 0
        ? unlimitedSeats
        : occupySeats(channel, seatId, sets);
    },
    async [Symbol.asyncDispose]() {
      renewals[Symbol.dispose]();
    },
  };
}

/**
 * Lists the sets in which an attempt needs a seat. Probes come first, so that the refusal names the probe even if the
 * channel is also full.
 */
function seatSets(attempt: Attempt, health: Health, isLastResort: boolean): readonly SeatSet[] {
  const { route } = attempt;
  const { id, maxConcurrency, keyConcurrency } = route.candidate.channel;
  const sets: SeatSet[] = isLastResort || health.isQuiet ? [] : probeSets(attempt, health);
  if (maxConcurrency !== undefined)
    sets.push({ key: limitRedisKeys.seats(id), seats: maxConcurrency, scope: id, cause: "full" });
  if (keyConcurrency !== undefined) {
    const scope = channelKeyIdOf(route);
    sets.push({ key: limitRedisKeys.seats(id, route.key.id), seats: keyConcurrency, scope, cause: "full" });
  }
  return sets;
}

function probeSets(attempt: Attempt, health: Health): SeatSet[] {
  const { id } = attempt.route.candidate.channel;
  return health.unprovenScopes(attempt).map(({ skipScope, probe }) => ({
    key: limitRedisKeys.probe(id, probe),
    seats: 1,
    scope: skipScope,
    cause: "probe",
  }));
}

function refusalOf(
  reply: Awaited<ReturnType<typeof takeSeatsScript>>,
  sets: readonly SeatSet[],
  { id }: CatalogChannel,
): SeatRefusal | undefined {
  if (reply.verdict === "taken") return undefined;
  if (reply.verdict === "minute") return { scope: id, cause: "full", retryAfterMs: reply.waitMs };
  const { scope, cause } = sets[reply.set - 1] ?? { scope: id, cause: "full" };
  return { scope, cause, retryAfterMs: seatRetryMs };
}

/** Reads the number of seats in use, for each `channel` and `channel/key` with a limit. */
export async function readSeats(
  redis: Redis,
  channels: readonly CatalogChannel[],
): Promise<ReadonlyMap<ChannelScope, number>> {
  const now = Date.now();
  const limits = channels.flatMap(({ id, keys, maxConcurrency, keyConcurrency }) => [
    ...(maxConcurrency === undefined ? [] : [[id, limitRedisKeys.seats(id)] as const]),
    ...(keyConcurrency === undefined
      ? []
      : keys.map((key) => [channelKeyId(id, key.id), limitRedisKeys.seats(id, key.id)] as const)),
  ]);
  return new Map(
    await Promise.all(limits.map(async ([scope, key]) => [scope, await redis.zcount(key, now, "+inf")] as const)),
  );
}
