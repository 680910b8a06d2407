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

/** Why a channel or one key of it is out of use until somebody puts it back. */
export interface Switched {
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
  /** The vendor, where it refused the key; absent: an operator. */
  readonly by?: "vendor";
}

/** Redis keys and the pub/sub channel of channel states; all replicas share them. */
export const stateKeys = { health: "channels:health", switched: "channels:switched", changes: "channels" } as const;

/**
 * What all replicas know of the channels: cool-downs by `channel`, `channel/key` or `channel#model`, and what is switched
 * off, by `channel` or `channel/key`.
 */
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

/**
 * Switches a channel, or one `channel/key`, off or on again, in every replica at once; switching on forgets why it, its
 * keys and its models rested or were taken out.
 */
export async function switchChannel(redis: Redis, place: string, on: boolean, reason: string): Promise<void> {
  if (on) {
    for (const key of [stateKeys.switched, stateKeys.health]) {
      const own = (await redis.hkeys(key)).filter(
        (known) => known === place || known.startsWith(`${place}/`) || known.startsWith(`${place}#`),
      );
      if (own.length > 0) await redis.hdel(key, ...own);
    }
  } else {
    const switched: Switched = { reason, since: new Date().toISOString() };
    await redis.hset(stateKeys.switched, place, JSON.stringify(switched));
  }
  await redis.publish(stateKeys.changes, place);
}

/** Takes a key out that its vendor refused, until an operator or a new configuration puts it back. */
export async function takeOut(redis: Redis, place: string, reason: string): Promise<void> {
  const switched: Switched = { reason, since: new Date().toISOString(), by: "vendor" };
  if ((await redis.hsetnx(stateKeys.switched, place, JSON.stringify(switched))) === 1)
    await redis.publish(stateKeys.changes, place);
}

/** Puts every key back that a vendor refused: the configuration has changed, and it may be right now. */
export async function putBackTakenOut(redis: Redis): Promise<void> {
  const { switched } = await readChannelStates(redis);
  const refused = [...switched].filter(([, { by }]) => by === "vendor").map(([place]) => place);
  if (refused.length === 0) return;
  await redis.hdel(stateKeys.switched, ...refused);
  await redis.publish(stateKeys.changes, "");
}

function parseCoolDown(text: string): CoolDown {
  const coolDown: CoolDown = JSON.parse(text);
  return coolDown;
}

function parseSwitched(text: string): Switched {
  const switched: Switched = JSON.parse(text);
  return switched;
}
