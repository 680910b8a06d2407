import { randomBytes } from "node:crypto";
import type { Redis } from "@modelgate/platform";

/** Generations of the people on whom a session or link depends, by their name. */
export type GenerationsOf = Readonly<Record<string, string>>;

/** Redis hash from a person's name to the person's generation. */
const generationsKey = "console:generations";

/**
 * Generations of people. A generation is a random value that changes with the person's permissions. Sessions and links
 * store the generations under which they were created and compare them at every use, so that a change ends earlier
 * sign-ins.
 */
export class Generations {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns the generations of people; an empty string for a person who was not changed since creation. */
  async of(names: readonly string[]): Promise<GenerationsOf> {
    if (names.length === 0) return {};
    const found = await this.#redis.hmget(generationsKey, ...names);
    return Object.fromEntries(names.map((name, at) => [name, found[at] ?? ""]));
  }

  /** Returns true if these generations are still the current ones. */
  async areCurrent(generations: GenerationsOf): Promise<boolean> {
    const current = await this.of(Object.keys(generations));
    return Object.entries(generations).every(([name, generation]) => current[name] === generation);
  }

  /**
   * Starts a new generation of a person. Sessions and links of earlier generations are refused from now on, on every
   * replica.
   */
  async renew(name: string): Promise<void> {
    await this.#redis.hset(generationsKey, name, randomBytes(12).toString("base64url"));
  }
}
