import { createHash } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

/** Sign-ins by password that fail within the window before more are refused. */
const maxPerPair = 10;
const maxPerAddress = 30;
const maxPerName = 100;
const windowSeconds = 900;
/** Time for which an address counts as known for a person. */
const knownSeconds = 30 * 86_400;

/** Source of a sign-in, and the name it uses. */
export interface SignInAttempt {
  readonly address: string;
  readonly name: string;
}

/**
 * Counts sign-ins by password that fail, for all replicas: for a name from an address, from an address, and for a name. Only
 * the first holds for an address that the person has signed in from before, so those who guess elsewhere lock no one out.
 */
export class SignInLimits {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Runs a sign-in; one that fails is counted. Throws Failure rate_limit_exceeded, without a look at the password, where
   * too many have failed.
   */
  async run<T>({ address, name }: SignInAttempt, signIn: () => Promise<T>): Promise<T> {
    const known = keyOf("known", address, name);
    const pair = { key: keyOf("pair", address, name), max: maxPerPair };
    const counters = (await this.#redis.exists(known))
      ? [pair]
      : [pair, { key: keyOf("address", address), max: maxPerAddress }, { key: keyOf("name", name), max: maxPerName }];
    // Counted before the password is looked at: many at once are as many as one after the other.
    for (const { key, max } of counters) {
      const count = await this.#redis.incr(key);
      if (count === 1) await this.#redis.expire(key, windowSeconds);
      if (count > max) throw await this.#tooMany(key);
    }
    const signedIn = await signIn();
    for (const { key } of counters) await this.#redis.decr(key);
    await this.#redis.set(known, "1", "EX", knownSeconds);
    return signedIn;
  }

  async #tooMany(key: string): Promise<Failure> {
    const seconds = Math.max(1, await this.#redis.ttl(key));
    return new Failure(
      "rate_limit_exceeded",
      `Too many sign-ins have failed. Try again in ${Math.ceil(seconds / 60)} minutes.`,
      { retryAfterSeconds: seconds },
    );
  }
}

function keyOf(kind: string, ...of: readonly string[]): string {
  const digest = createHash("sha256").update(of.join("\n")).digest("hex").slice(0, 32);
  return `console:sign-in:${kind}:${digest}`;
}
