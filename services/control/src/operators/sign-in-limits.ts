import { createHash } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

/** Sign-ins that fail within the window before more are refused, from one address and for one name. */
const mostPerAddress = 30;
const mostPerName = 10;
const windowSeconds = 900;

/** Where a sign-in comes from, and whom it names; without a name for links and providers. */
export interface SignInTry {
  readonly address: string;
  readonly name?: string;
}

/** Counts sign-ins that fail, by address and by name, for all replicas. */
export class SignInLimits {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Runs a sign-in; one that fails is counted. Throws Failure rate_limit_exceeded, without a look at the password, where
   * too many have failed.
   */
  async run<T>(attempt: SignInTry, signIn: () => Promise<T>): Promise<T> {
    const counters = countersOf(attempt);
    // Counted before the password is looked at: many at once are as many as one after the other.
    for (const { key, most } of counters) {
      const count = await this.#redis.incr(key);
      if (count === 1) await this.#redis.expire(key, windowSeconds);
      if (count > most) throw await this.#tooMany(key);
    }
    const signedIn = await signIn();
    for (const { key } of counters) await this.#redis.decr(key);
    return signedIn;
  }

  async #tooMany(key: string): Promise<Failure> {
    const seconds = Math.max(1, await this.#redis.ttl(key));
    return new Failure(
      "rate_limit_exceeded",
      `Too many sign-ins have failed. Try again in ${Math.ceil(seconds / 60)} minutes.`,
      {
        retryAfterSeconds: seconds,
      },
    );
  }
}

function countersOf({ address, name }: SignInTry) {
  const keyOf = (kind: string, of: string): string =>
    `console:sign-in:${kind}:${createHash("sha256").update(of).digest("hex").slice(0, 32)}`;
  return [
    { key: keyOf("address", address), most: mostPerAddress },
    ...(name === undefined ? [] : [{ key: keyOf("name", name), most: mostPerName }]),
  ];
}
