import { createHash } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

/** Maximum failed password sign-ins per window and pair of name and address. */
const maxPerPair = 10;
const maxPerAddress = 30;
const maxPerName = 100;
const windowSeconds = 900;
/** Time, in seconds, for which an address counts as known after a person has signed in from it. */
const knownSeconds = 30 * 86_400;

/** Network address of a sign-in, and the name that it uses. */
export interface SignInAttempt {
  readonly address: string;
  readonly name: string;
}

/**
 * Limits failed password sign-ins over all replicas: per pair of name and address, per address, and per name. For a
 * known address of the person only the limit per pair applies, so that guesses from elsewhere do not lock the person
 * out.
 */
export class SignInLimits {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Runs a sign-in and counts it if it fails. After too many failures, throws Failure rate_limit_exceeded without
   * checking the password.
   */
  async run<T>({ address, name }: SignInAttempt, signIn: () => Promise<T>): Promise<T> {
    const knownAddressKey = keyOf("known", address, name);
    const pair = { key: keyOf("pair", address, name), max: maxPerPair };
    const counters = (await this.#redis.exists(knownAddressKey))
      ? [pair]
      : [pair, { key: keyOf("address", address), max: maxPerAddress }, { key: keyOf("name", name), max: maxPerName }];
    // Counted before the password is checked, so that parallel attempts count too.
    for (const { key, max } of counters) {
      const count = await this.#redis.incr(key);
      if (count === 1) await this.#redis.expire(key, windowSeconds);
      if (count > max) throw await this.#tooMany(key);
    }
    const signedIn = await signIn();
    for (const { key } of counters) await this.#redis.decr(key);
    await this.#redis.set(knownAddressKey, "1", "EX", knownSeconds);
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
