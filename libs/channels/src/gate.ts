import { channelKeyId, type CatalogChannel } from "@modelgate/catalog";
import { defineScript, onBeat, orUnavailable, type Logger, type Redis } from "@modelgate/platform";
import type { Attempt, Health } from "./health.ts";
import { channelKeyIdOf, type RestScope } from "./rest-scope.ts";

/** Seats of a running attempt; dispose it when the exchange has ended. */
export interface GateEntry extends Disposable {
  /** Reports that the vendor has answered or failed: calls that waited for this trial may proceed. */
  tried(): void;
}

/** Reason why an attempt may not use a route now; no request was sent and no seat was taken. */
export interface TurnedAway {
  /** Scope to skip: a complete channel, or one `channel/key`. */
  readonly scope: RestScope;
  /**
   * `full`: no free seat, or the limit per minute is reached; `tried`: it has rested, and another call is testing
   * whether it works again.
   */
  readonly why: "full" | "tried";
  /** Time after which another attempt may succeed. */
  readonly retryAfterMs: number;
}

/**
 * Limits of channels and keys, shared by all replicas through Redis: seats as leases, calls per minute, and one trial
 * at a time for a scope that has rested. A route without limits that did not rest costs no round trip.
 */
export interface Gate extends AsyncDisposable {
  /**
   * Enters an attempt, whose `permit` must be unique; an attempt of last resort does not wait for a trial. Throws
   * Failure server_overloaded if Redis does not answer.
   */
  enter(attempt: Attempt, permit: string, isLastResort?: boolean): Promise<GateEntry | TurnedAway>;
}

/**
 * Time after which a full channel is tried again. It is short because the end of a running call cannot be predicted.
 */
const seatRetryMs = 1_000;
const takeSeats = defineScript({
  file: new URL("take-seats.lua", import.meta.url),
  keys: ["minute", "seats[]"],
  args: { permit: "text", leaseMs: "number", perMinute: "number", maxSeats: "number[]" },
  replies: { taken: {}, full: { set: "number" }, minute: { waitMs: "number" } },
});
const renewSeats = defineScript({
  file: new URL("renew-seats.lua", import.meta.url),
  keys: ["seats[]"],
  args: { permit: "text", leaseMs: "number" },
  replies: { renewed: {} },
});

/** Redis keys of a channel's limits; all keys of a channel are in one slot. */
export const gateKeys = {
  minute: (channelId: string) => `channel:{${channelId}}:minute`,
  /** Seats in use, of a channel or of one key. */
  seats: (channelId: string, keyId = "") => `channel:{${channelId}}:seats:${keyId}`,
  /** The call that tests a scope which has rested; Health names the trial. */
  trial: (channelId: string, trial: string) => `channel:{${channelId}}:trial:${trial}`,
} as const;

/** A set of seats; an attempt needs one of them. */
interface SeatSet {
  readonly key: string;
  readonly seats: number;
  readonly scope: RestScope;
  readonly why: TurnedAway["why"];
}

function nothing(): void {
  // There is no seat to release
}

const free: GateEntry = { tried: nothing, [Symbol.dispose]: nothing };

/** Opens the gate; the seats of a process that dies become free after `leaseMs`. */
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
  const open = new Map<string, readonly string[]>();
  const quietly = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel seats not renewed"));
  const renewals = onBeat(leaseMs / 3, () => {
    for (const [permit, keys] of open) quietly(renewSeats(redis, { seats: keys }, { permit, leaseMs }));
  });

  /** Releases some of a permit's seats. */
  const leave = (permit: string, keys: readonly string[]): void => {
    const left = (open.get(permit) ?? []).filter((key) => !keys.includes(key));
    if (left.length > 0) open.set(permit, left);
    else open.delete(permit);
    for (const key of keys) quietly(redis.zrem(key, permit));
  };

  return {
    async enter(attempt, permit, isLastResort = false) {
      const { channel } = attempt.route.candidate;
      const { requestsPerMinute: perMinute = 0 } = channel;
      const sets = seatSets(attempt, health, isLastResort);
      if (sets.length === 0 && perMinute === 0) return free;
      const reply = await orUnavailable(
        takeSeats(
          redis,
          { minute: gateKeys.minute(channel.id), seats: sets.map(({ key }) => key) },
          { permit, leaseMs, perMinute, maxSeats: sets.map(({ seats }) => seats) },
        ),
      );
      const refused = turnedAway(reply, sets, channel);
      if (refused !== undefined) return refused;
      if (sets.length === 0) return free;
      const trials = sets.filter(({ why }) => why === "tried").map(({ key }) => key);
      open.set(
        permit,
        sets.map(({ key }) => key),
      );
      return {
        tried: () => leave(permit, trials.splice(0)),
        [Symbol.dispose]: () => leave(permit, open.get(permit) ?? []),
      };
    },
    async [Symbol.asyncDispose]() {
      renewals[Symbol.dispose]();
    },
  };
}

/**
 * Lists the seats that an attempt needs. Trials are taken first, because a full channel that may work again must be
 * tested too.
 */
function seatSets(attempt: Attempt, health: Health, isLastResort: boolean): readonly SeatSet[] {
  const { route } = attempt;
  const { id, maxConcurrency, keyConcurrency } = route.candidate.channel;
  const sets: SeatSet[] = isLastResort || health.isQuiet ? [] : trialSets(attempt, health);
  if (maxConcurrency !== undefined)
    sets.push({ key: gateKeys.seats(id), seats: maxConcurrency, scope: id, why: "full" });
  if (keyConcurrency !== undefined) {
    const scope = channelKeyIdOf(route);
    sets.push({ key: gateKeys.seats(id, route.key.id), seats: keyConcurrency, scope, why: "full" });
  }
  return sets;
}

function trialSets(attempt: Attempt, health: Health): SeatSet[] {
  const { id } = attempt.route.candidate.channel;
  return health
    .unproven(attempt)
    .map(({ leaveOut, trial }) => ({ key: gateKeys.trial(id, trial), seats: 1, scope: leaveOut, why: "tried" }));
}

function turnedAway(
  reply: Awaited<ReturnType<typeof takeSeats>>,
  sets: readonly SeatSet[],
  { id }: CatalogChannel,
): TurnedAway | undefined {
  if (reply.verdict === "taken") return undefined;
  if (reply.verdict === "minute") return { scope: id, why: "full", retryAfterMs: reply.waitMs };
  const { scope, why } = sets[reply.set - 1] ?? { scope: id, why: "full" };
  return { scope, why, retryAfterMs: seatRetryMs };
}

/** Reads the seats in use, by `channel` and `channel/key`; only scopes with a limit are included. */
export async function readSeats(
  redis: Redis,
  channels: readonly CatalogChannel[],
): Promise<ReadonlyMap<RestScope, number>> {
  const now = Date.now();
  const limits = channels.flatMap(({ id, keys, maxConcurrency, keyConcurrency }) => [
    ...(maxConcurrency === undefined ? [] : [[id, gateKeys.seats(id)] as const]),
    ...(keyConcurrency === undefined
      ? []
      : keys.map((key) => [channelKeyId(id, key.id), gateKeys.seats(id, key.id)] as const)),
  ]);
  return new Map(
    await Promise.all(limits.map(async ([scope, key]) => [scope, await redis.zcount(key, now, "+inf")] as const)),
  );
}
