import { randomBytes } from "node:crypto";
import type { Redis } from "@modelgate/platform";

/** Permission versions of the people on whom a session or link depends, by their name. */
export type VersionsByPerson = Readonly<Record<string, string>>;

/** Redis hash from a person's name to the person's permission version. */
const versionsKey = "console:generations";

/**
 * Permission versions of people. A version is a random value that changes with the person's permissions. Sessions and
 * links store the versions under which they were created and compare them at every use, so that a change ends earlier
 * sign-ins.
 */
export class PermissionVersions {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns the versions of people; an empty string for a person who was not changed since creation. */
  async of(names: readonly string[]): Promise<VersionsByPerson> {
    if (names.length === 0) return {};
    const found = await this.#redis.hmget(versionsKey, ...names);
    return Object.fromEntries(names.map((name, at) => [name, found[at] ?? ""]));
  }

  /** Returns true if these versions are still the current ones. */
  async areCurrent(versions: VersionsByPerson): Promise<boolean> {
    const current = await this.of(Object.keys(versions));
    return Object.entries(versions).every(([name, version]) => current[name] === version);
  }

  /** Gives a person a new version. Sessions and links of earlier versions are refused from now on, on every replica. */
  async renew(name: string): Promise<void> {
    await this.#redis.hset(versionsKey, name, randomBytes(12).toString("base64url"));
  }
}
