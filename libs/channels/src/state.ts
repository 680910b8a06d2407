import { Type } from "typebox";
import { recordParser, renameMembers } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { isWithin, modelScope, parseRestName, type RestScope } from "./rest-scope.ts";

/**
 * Reason why a scope is not used for a while:
 * - `failing`: calls there fail
 * - `throttled`: its vendor named the time of the next attempt
 * - `refused`: its vendor refuses the key
 */
export type RestKind = "failing" | "throttled" | "refused";

/** Rest of a channel, key or model, with its reason and end; for one account if it names one. */
export interface CoolDown {
  readonly kind: RestKind;
  readonly reason: string;
  /** Message of the vendor, or of the operating system about a connection, in one line. */
  readonly vendorMessage?: string | undefined;
  /** RFC 3339. */
  readonly since: string;
  /** End in Unix ms; after it the scope is tried again. */
  readonly until: number;
  /** Number of rests in a row, including this one; each is longer than the previous one. */
  readonly rests: number;
  /** The only account whose calls the rest concerns; absent: all. */
  readonly account?: string | undefined;
}

/** Reason why a channel or key is switched off until an operator switches it on. */
export interface Switched {
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
}

/** Redis keys of the channel states, and their pub/sub channel; shared by all replicas. */
export const stateKeys = { health: "channels:health", switched: "channels:switched", changes: "channels" } as const;

/** States of the channels, shared by all replicas. `channel` and `channel/key` scopes can be switched off. */
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
 * Switches a channel, or one `channel/key`, off or on in every replica. Switching it on ends its rests and those of its
 * keys and models, for all accounts, and resets a channel's count of capped calls.
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

/** Ends the rest of every key that a vendor refused, because a new configuration may have corrected it. */
export async function putBackRefused(redis: Redis): Promise<void> {
  const { coolDowns, accountRests } = await readChannelStates(redis);
  const refused = [...coolDowns, ...accountRests].filter(([, { kind }]) => kind === "refused");
  await endRests(
    redis,
    refused.map(([name]) => name),
  );
}

/** Starts a rest of a channel's model for all accounts, by the vendor's name; times in Unix ms. */
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

/** Ends rests of a channel's models in all replicas. */
export async function endModelRests(redis: Redis, channel: string, models: readonly string[]): Promise<void> {
  await endRests(
    redis,
    models.map((model) => modelScope(channel, model)),
  );
}

/** Reads a stored rest. Throws UnknownShape. */
export const parseCoolDown: (text: string) => CoolDown = recordParser(
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

/** Converts a rest that an earlier version stored: the member `said`, and the kind `asked`. */
function upgradeRest(rest: unknown): unknown {
  const named = renameMembers(rest, { said: "vendorMessage" });
  const isAsked = typeof named === "object" && named !== null && "kind" in named && named.kind === "asked";
  return isAsked ? { ...named, kind: "throttled" } : named;
}

const parseSwitched: (text: string) => Switched = recordParser(
  "switched-off channel",
  Type.Object({ reason: Type.String(), since: Type.String() }),
);

/** Redis hash: for each channel, the number of calls whose vendor reported more than the call could use. */
export const cappedKey = "channels:capped";

/** Counts a call whose vendor reported more than the call could use against its channel. */
export async function countCapped(redis: Redis, channelId: string): Promise<void> {
  await redis.hincrby(cappedKey, channelId, 1);
}

/** Reads the number of such calls by channel since it was last switched on; channels without any are absent. */
export async function readCapped(redis: Redis): Promise<ReadonlyMap<string, number>> {
  const counts = await redis.hgetall(cappedKey);
  return new Map(Object.entries(counts).map(([id, count]) => [id, Number(count)]));
}
