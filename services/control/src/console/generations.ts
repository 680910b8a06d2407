import { randomBytes } from "node:crypto";
import type { Redis } from "@modelgate/platform";

/** The generation of each person that a session or a link depends on, by name. */
export type GenerationsOf = Readonly<Record<string, string>>;

/** Hash: a person's name → their generation. */
const generationsKey = "console:generations";

/**
 * A generation per person: a random word that changes whenever what they may do changes. Sessions and links carry those
 * that they were made under and are compared with them at every use, so a sign-in that began before a change ends with it.
 */
export class Generations {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns the generations of people; the empty word for one who has not changed since they were created. */
  async of(names: readonly string[]): Promise<GenerationsOf> {
    if (names.length === 0) return {};
    const found = await this.#redis.hmget(generationsKey, ...names);
    return Object.fromEntries(names.map((name, at) => [name, found[at] ?? ""]));
  }

  /** Returns whether none of these people has changed. */
  async areCurrent(generations: GenerationsOf): Promise<boolean> {
    const current = await this.of(Object.keys(generations));
    return Object.entries(generations).every(([name, generation]) => current[name] === generation);
  }

  /** Begins a new generation of a person: what depends on an earlier one is refused from now on, on every replica. */
  async renew(name: string): Promise<void> {
    await this.#redis.hset(generationsKey, name, randomBytes(12).toString("base64url"));
  }
}
