import { Type } from "typebox";
import { stored, withPresentNames } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { isWithin, modelScope, parseRestName, type RestScope } from "./rest-scope.ts";

/**
 * Reason why a scope is not used for a while:
 * - `failing`: calls there fail
 * - `throttled`: its vendor named the time of the next attempt
 * - `refused`: its vendor refuses the key
 */
export type RestKind = "failing" | "throttled" | "refused";

/** Rest of a channel, of one key or of one model of it, with its reason and end; for one account where it names one. */
export interface CoolDown {
  readonly kind: RestKind;
  readonly reason: string;
  /** Message of the vendor, or of the system about a connection, in one line. */
  readonly vendorMessage?: string | undefined;
  /** RFC 3339. */
  readonly since: string;
  /** Unix ms; afterwards it is tried again. */
  readonly until: number;
  /** Rests in a row, this one included: each is longer than the one before. */
  readonly rests: number;
  /** The only account whose calls it concerns; absent: all. */
  readonly account?: string | undefined;
}

/** Reason why a channel or one key of it is switched off until an operator puts it back. */
export interface Switched {
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
}

/** Redis keys and the pub/sub channel of channel states; all replicas share them. */
export const stateKeys = { health: "channels:health", switched: "channels:switched", changes: "channels" } as const;

/**
 * States of the channels that all replicas share. Switched off is a `channel` or `channel/key`.
 */
export interface ChannelStates {
  /** Rests for all, by scope. */
  readonly coolDowns: ReadonlyMap<RestScope, CoolDown>;
  /** Rests for one account, by `restName`. */
  readonly accountRests: ReadonlyMap<string, CoolDown>;
  readonly switched: ReadonlyMap<RestScope, Switched>;
}

/** Reads the shared states. */
export async function readChannelStates(redis: Redis): Promise<ChannelStates> {
  const [health, switched] = await Promise.all([redis.hgetall(stateKeys.health), redis.hgetall(stateKeys.switched)]);
  const rests = Object.entries(health).map(([name, text]) => [name, parseCoolDown(text)] as const);
  return {
    coolDowns: new Map(rests.filter(([, { account }]) => account === undefined)),
    accountRests: new Map(rests.filter(([, { account }]) => account !== undefined)),
    switched: new Map(Object.entries(switched).map(([id, text]) => [id, parseSwitched(text)])),
  };
}

/** Shares a rest. */
export async function shareRest(redis: Redis, name: string, coolDown: CoolDown): Promise<void> {
  await redis.hset(stateKeys.health, name, JSON.stringify(coolDown));
  await redis.publish(stateKeys.changes, name);
}

/** Ends rests in all replicas. */
export async function endRests(redis: Redis, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await redis.hdel(stateKeys.health, ...names);
  await redis.publish(stateKeys.changes, "");
}

/**
 * Switches a channel, or one `channel/key`, off or on again, in every replica at once; switching on ends the rests of
 * it, its keys and its models, for all accounts, and counts a channel's capped calls anew.
 */
export async function switchChannel(redis: Redis, scope: RestScope, on: boolean, reason: string): Promise<void> {
  if (on) {
    await redis.hdel(cappedKey, scope);
    for (const key of [stateKeys.switched, stateKeys.health]) {
      const own = (await redis.hkeys(key)).filter((name) => isWithin(parseRestName(name).scope, scope));
      if (own.length > 0) await redis.hdel(key, ...own);
    }
  } else {
    const switched: Switched = { reason, since: new Date().toISOString() };
    await redis.hset(stateKeys.switched, scope, JSON.stringify(switched));
  }
  await redis.publish(stateKeys.changes, scope);
}

/** Uses every key again that a vendor refused: the configuration has changed, and it may be right now. */
export async function putBackRefused(redis: Redis): Promise<void> {
  const { coolDowns, accountRests } = await readChannelStates(redis);
  const refused = [...coolDowns, ...accountRests].filter(([, { kind }]) => kind === "refused");
  await endRests(
    redis,
    refused.map(([name]) => name),
  );
}

/** Lets a model of a channel rest for all accounts, by the vendor's name of it; times in Unix ms. */
export async function restModel(
  redis: Redis,
  rest: {
    readonly channel: string;
    readonly model: string;
    readonly since: number;
    readonly until: number;
    readonly reason: string;
  },
): Promise<void> {
  const { channel, model, since, until, reason } = rest;
  await shareRest(redis, modelScope(channel, model), {
    kind: "failing",
    reason,
    since: new Date(since).toISOString(),
    until,
    rests: 1,
  });
}

/** Ends such rests in all replicas. */
export async function endModelRests(redis: Redis, channel: string, models: readonly string[]): Promise<void> {
  await endRests(
    redis,
    models.map((model) => modelScope(channel, model)),
  );
}

/** Reads a stored rest. Throws UnknownShape. */
export const parseCoolDown: (text: string) => CoolDown = stored(
  "rest of a channel",
  Type.Object({
    kind: Type.Enum(["failing", "throttled", "refused"]),
    reason: Type.String(),
    vendorMessage: Type.Optional(Type.String()),
    since: Type.String(),
    until: Type.Number(),
    rests: Type.Number(),
    account: Type.Optional(Type.String()),
  }),
  upgradeRest,
);

/** Brings a rest of an earlier version to the present names: `said`, and the kind `asked`. */
function upgradeRest(rest: unknown): unknown {
  const named = withPresentNames(rest, { said: "vendorMessage" });
  const isAsked = typeof named === "object" && named !== null && "kind" in named && named.kind === "asked";
  return isAsked ? { ...named, kind: "throttled" } : named;
}

const parseSwitched: (text: string) => Switched = stored(
  "switched-off channel",
  Type.Object({ reason: Type.String(), since: Type.String() }),
);

/** Redis hash of how many calls of each channel reported more than they could use. */
export const cappedKey = "channels:capped";

/** Counts a call whose vendor reported more than the call could use, against its channel. */
export async function countCapped(redis: Redis, channelId: string): Promise<void> {
  await redis.hincrby(cappedKey, channelId, 1);
}

/** Such calls by channel, since each was enabled last; channels without any are absent. */
export async function readCapped(redis: Redis): Promise<ReadonlyMap<string, number>> {
  const counts = await redis.hgetall(cappedKey);
  return new Map(Object.entries(counts).map(([id, count]) => [id, Number(count)]));
}
