import { Type } from "typebox";
import { recordParser, renameMembers } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { isWithin, modelScope, parseCooldownName, type ChannelScope } from "./channel-scope.ts";

/** Reason for a cooldown: calls fail, the vendor requested a delay, or the vendor refuses the key. */
export type CooldownKind = "failing" | "throttled" | "refused";

/** A time in which a channel, key or model is not used. */
export interface Cooldown {
  readonly kind: CooldownKind;
  readonly reason: string;
  /** Error message of the vendor or of the failed connection, in one line. */
  readonly vendorMessage?: string | undefined;
  /** Start, as an RFC 3339 time. */
  readonly since: string;
  /** End, in Unix ms. */
  readonly until: number;
  /** Number of consecutive cooldowns, including this one. */
  readonly consecutiveCooldowns: number;
  /** The only account that the cooldown concerns; absent for all accounts. */
  readonly account?: string | undefined;
}

/** Reason and time of switching off a channel or key. It stays off until an operator switches it on. */
export interface SwitchOff {
  readonly reason: string;
  /** Start, as an RFC 3339 time. */
  readonly since: string;
}

/** Redis keys of the channel states, and the pub/sub channel that announces changes. */
export const stateKeys = { health: "channels:health", switchedOff: "channels:switched", changes: "channels" } as const;

/** States of the channels, shared by all replicas. */
export interface ChannelStates {
  /** Cooldowns for all accounts, by scope. */
  readonly cooldowns: ReadonlyMap<ChannelScope, Cooldown>;
  /** Cooldowns for one account, by `cooldownName`. */
  readonly accountCooldowns: ReadonlyMap<string, Cooldown>;
  readonly switchedOff: ReadonlyMap<ChannelScope, SwitchOff>;
}

interface StoredStates extends ChannelStates {
  /** Names of the cooldowns that this version cannot read, because another version stored them. */
  readonly unreadableCooldowns: readonly string[];
}

/** Reads the shared states. Cooldowns that have ended but are still remembered are included. */
export async function readChannelStates(redis: Redis): Promise<StoredStates> {
  const [health, switchedOff] = await Promise.all([
    redis.hgetall(stateKeys.health),
    redis.hgetall(stateKeys.switchedOff),
  ]);
  const cooldowns: [string, Cooldown][] = [];
  const unreadableCooldowns: string[] = [];
  for (const [name, text] of Object.entries(health)) {
    try {
      cooldowns.push([name, parseCooldown(text)]);
    } catch {
      // The other states must be known even so: a disabled key must not be used.
      unreadableCooldowns.push(name);
    }
  }
  return {
    cooldowns: new Map(cooldowns.filter(([, { account }]) => account === undefined)),
    accountCooldowns: new Map(cooldowns.filter(([, { account }]) => account !== undefined)),
    switchedOff: new Map(Object.entries(switchedOff).map(([id, text]) => [id, parseSwitchOff(text)])),
    unreadableCooldowns,
  };
}

/** Stores a cooldown and announces it to all replicas. */
export async function storeCooldown(redis: Redis, name: string, cooldown: Cooldown): Promise<void> {
  // Processes of the version before read these names during an upgrade. Delete them in the version after this one.
  const kind = cooldown.kind === "throttled" ? "asked" : cooldown.kind;
  const stored = { ...cooldown, kind, rests: cooldown.consecutiveCooldowns };
  await redis.hset(stateKeys.health, name, JSON.stringify(stored));
  await redis.publish(stateKeys.changes, name);
}

/** Ends cooldowns in all replicas. */
export async function endCooldowns(redis: Redis, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await redis.hdel(stateKeys.health, ...names);
  await redis.publish(stateKeys.changes, "");
}

/** Switches a channel, or one `channel/key`, off or on in all replicas. Switching on also ends its cooldowns. */
export async function switchChannel(redis: Redis, scope: ChannelScope, on: boolean, reason: string): Promise<void> {
  if (on) {
    await redis.hdel(cappedUsageKey, scope);
    for (const key of [stateKeys.switchedOff, stateKeys.health]) {
      const ownNames = (await redis.hkeys(key)).filter((name) => isWithin(parseCooldownName(name).scope, scope));
      if (ownNames.length > 0) await redis.hdel(key, ...ownNames);
    }
  } else {
    const switchedOff: SwitchOff = { reason, since: new Date().toISOString() };
    await redis.hset(stateKeys.switchedOff, scope, JSON.stringify(switchedOff));
  }
  await redis.publish(stateKeys.changes, scope);
}

/** Ends the cooldown of every refused key. A new configuration may contain a corrected key. */
export async function endKeyRefusals(redis: Redis): Promise<void> {
  const { cooldowns, accountCooldowns } = await readChannelStates(redis);
  const refused = [...cooldowns, ...accountCooldowns].filter(([, { kind }]) => kind === "refused");
  await endCooldowns(
    redis,
    refused.map(([name]) => name),
  );
}

/** Starts a cooldown of a channel's model (by the vendor's name) for all accounts. Times are in Unix ms. */
export async function startModelCooldown(
  redis: Redis,
  cooldown: {
    readonly channel: string;
    readonly model: string;
    readonly since: number;
    readonly until: number;
    readonly reason: string;
  },
): Promise<void> {
  const { channel, model, since, until, reason } = cooldown;
  await storeCooldown(redis, modelScope(channel, model), {
    kind: "failing",
    reason,
    since: new Date(since).toISOString(),
    until,
    consecutiveCooldowns: 1,
  });
}

/** Ends the cooldowns of a channel's models, for all accounts, in all replicas. */
export async function endModelCooldowns(redis: Redis, channel: string, models: readonly string[]): Promise<void> {
  await endCooldowns(
    redis,
    models.map((model) => modelScope(channel, model)),
  );
}

/** Parses a stored cooldown. Throws UnknownShape. */
export const parseCooldown: (text: string) => Cooldown = recordParser(
  "cooldown of a channel",
  Type.Object({
    kind: Type.Enum(["failing", "throttled", "refused"]),
    reason: Type.String(),
    vendorMessage: Type.Optional(Type.String()),
    since: Type.String(),
    until: Type.Number(),
    consecutiveCooldowns: Type.Number(),
    account: Type.Optional(Type.String()),
  }),
  upgradeCooldown,
);

/** Converts a cooldown that an earlier version stored. */
function upgradeCooldown(cooldown: unknown): unknown {
  const upgraded = renameMembers(cooldown, { said: "vendorMessage", rests: "consecutiveCooldowns" });
  const isAsked = typeof upgraded === "object" && upgraded !== null && "kind" in upgraded && upgraded.kind === "asked";
  return isAsked ? { ...upgraded, kind: "throttled" } : upgraded;
}

const parseSwitchOff: (text: string) => SwitchOff = recordParser(
  "switched-off channel",
  Type.Object({ reason: Type.String(), since: Type.String() }),
);

/** Redis hash with the results of `countCappedUsage`, by channel. */
export const cappedUsageKey = "channels:capped";

/** Counts a call for which the vendor reported more usage than the call can have caused. */
export async function countCappedUsage(redis: Redis, channelId: string): Promise<void> {
  await redis.hincrby(cappedUsageKey, channelId, 1);
}

/** Reads the numbers of `countCappedUsage` by channel, since each channel was last switched on. */
export async function readCappedUsage(redis: Redis): Promise<ReadonlyMap<string, number>> {
  const counts = await redis.hgetall(cappedUsageKey);
  return new Map(Object.entries(counts).map(([id, count]) => [id, Number(count)]));
}
