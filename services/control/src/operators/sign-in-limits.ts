import { createHash } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

/** Maximum failed sign-ins per window: of a pair of name and address, of an address, and of a name. */
const [maxPerPair, maxPerAddress, maxPerName] = [10, 30, 100];
const windowSeconds = 900;
/** Time in seconds for which a person's address is remembered after a sign-in. */
const knownSeconds = 30 * 86_400;

/** Network address of a sign-in, and the name that it uses. */
export interface SignInAttempt {
  readonly address: string;
  readonly name: string;
}

/**
 * Limits failed sign-ins per name, per address, and per pair of name and address. After a person has signed in from an
 * address, only the pair's limit applies to it, so that others cannot lock the person out.
 */
export class SignInLimits {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Runs a sign-in and records a failure. Throws Failure after too many failures. */
  async run<T>({ address, name }: SignInAttempt, signIn: () => Promise<T>): Promise<T> {
    const knownAddressKey = keyOf("known", address, name);
    const pair = { key: keyOf("pair", address, name), max: maxPerPair };
    const counters = (await this.#redis.exists(knownAddressKey))
      ? [pair]
      : [pair, { key: keyOf("address", address), max: maxPerAddress }, { key: keyOf("name", name), max: maxPerName }];
    // Incremented first, so that parallel attempts are included.
    for (const { key, max } of counters) {
      if ((await this.#add(key, 1)) > max) throw await this.#tooMany(key);
    }
    const signedIn = await signIn();
    for (const { key } of counters) await this.#add(key, -1);
    await this.#redis.set(knownAddressKey, "1", "EX", knownSeconds);
    return signedIn;
  }

  /** Changes a counter. Sets its expiry if it has none, for example because control was killed after the last change. */
  async #add(key: string, change: 1 | -1): Promise<number> {
    const count = await this.#redis.incrby(key, change);
    await this.#redis.expire(key, windowSeconds, "NX");
    return count;
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
