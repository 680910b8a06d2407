import { randomBytes } from "node:crypto";
import type { Redis } from "@modelgate/platform";

/** Generation of each person that a session or link depends on, by name. */
export type GenerationsOf = Readonly<Record<string, string>>;

/** Hash: a person's name → the generation. */
const generationsKey = "console:generations";

/**
 * A generation per person: a random value that changes with the person's permissions. Sessions and links store the
 * generations that they were created under and compare them at every use, so that a change ends earlier sign-ins.
 */
export class Generations {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns the generations of people; an empty text for a person who has not changed since creation. */
  async of(names: readonly string[]): Promise<GenerationsOf> {
    if (names.length === 0) return {};
    const found = await this.#redis.hmget(generationsKey, ...names);
    return Object.fromEntries(names.map((name, at) => [name, found[at] ?? ""]));
  }

  /** Returns true if none of these people has changed. */
  async areCurrent(generations: GenerationsOf): Promise<boolean> {
    const current = await this.of(Object.keys(generations));
    return Object.entries(generations).every(([name, generation]) => current[name] === generation);
  }

  /**
   * Starts a new generation of a person. Everything that depends on an earlier one is refused from now on, on every
   * replica.
   */
  async renew(name: string): Promise<void> {
    await this.#redis.hset(generationsKey, name, randomBytes(12).toString("base64url"));
  }
}
