import type { Redis } from "@modelgate/platform";

/** Why and until when a channel, or one key of it, is not used. */
export interface CoolDown {
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
  /** Unix ms; afterwards it is tried again. */
  readonly until: number;
  /** Failures in a row. */
  readonly failures: number;
}

/** An operator's word on a channel. */
export interface Switched {
  readonly reason: string;
  readonly since: string;
}

/** Redis keys and the pub/sub channel of channel states; all replicas share them. */
export const stateKeys = { health: "channels:health", switched: "channels:switched", changes: "channels" } as const;

/** What all replicas know of the channels: cool-downs by `channel` or `channel/key`, and what operators switched off. */
export interface ChannelStates {
  readonly coolDowns: ReadonlyMap<string, CoolDown>;
  readonly switched: ReadonlyMap<string, Switched>;
}

/** Reads the shared states. */
export async function readChannelStates(redis: Redis): Promise<ChannelStates> {
  const [health, switched] = await Promise.all([redis.hgetall(stateKeys.health), redis.hgetall(stateKeys.switched)]);
  return {
    coolDowns: new Map(Object.entries(health).map(([place, text]) => [place, parseCoolDown(text)])),
    switched: new Map(Object.entries(switched).map(([id, text]) => [id, parseSwitched(text)])),
  };
}

/** Switches a channel off, or on again, in every replica at once; switching on forgets its cool-downs too. */
export async function switchChannel(redis: Redis, id: string, on: boolean, reason: string): Promise<void> {
  if (on) {
    await redis.hdel(stateKeys.switched, id);
    const places = await redis.hkeys(stateKeys.health);
    const own = places.filter((place) => place === id || place.startsWith(`${id}/`));
    if (own.length > 0) await redis.hdel(stateKeys.health, ...own);
  } else {
    const switched: Switched = { reason, since: new Date().toISOString() };
    await redis.hset(stateKeys.switched, id, JSON.stringify(switched));
  }
  await redis.publish(stateKeys.changes, id);
}

function parseCoolDown(text: string): CoolDown {
  const coolDown: CoolDown = JSON.parse(text);
  return coolDown;
}

function parseSwitched(text: string): Switched {
  const switched: Switched = JSON.parse(text);
  return switched;
}
