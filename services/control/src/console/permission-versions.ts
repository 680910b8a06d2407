import { randomBytes } from "node:crypto";
import type { Redis } from "@modelgate/platform";

/** Permission versions by person. */
export type VersionsByPerson = Readonly<Record<string, string>>;

/** Redis hash of permission versions by person. */
const versionsKey = "console:generations";

/**
 * Random values that change with a person's permissions. Sessions and links store them, so that a change ends earlier
 * sign-ins.
 */
export class PermissionVersions {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns the versions of people; "" for a person without changes. */
  async of(names: readonly string[]): Promise<VersionsByPerson> {
    if (names.length === 0) return {};
    const found = await this.#redis.hmget(versionsKey, ...names);
    return Object.fromEntries(names.map((name, at) => [name, found[at] ?? ""]));
  }

  /** Returns whether these versions are the current ones. */
  async areCurrent(versions: VersionsByPerson): Promise<boolean> {
    const current = await this.of(Object.keys(versions));
    return Object.entries(versions).every(([name, version]) => current[name] === version);
  }

  /** Gives a person a new version, which ends earlier sessions and links. */
  async renew(name: string): Promise<void> {
    await this.#redis.hset(versionsKey, name, randomBytes(12).toString("base64url"));
  }
}
