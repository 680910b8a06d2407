import { Failure } from "@modelgate/contracts";
import { startBackends, type Backends } from "@modelgate/testkit";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SignInLimits } from "../../src/operators/sign-in-limits.ts";

describe("limits of sign-ins by password", () => {
  let backends: Backends;
  let redis: Redis;
  let limits: SignInLimits;
  beforeAll(async () => {
    backends = await startBackends();
    redis = new Redis(backends.redisUrl);
  });
  beforeEach(async () => {
    await redis.flushall();
    limits = new SignInLimits(redis);
  });
  afterAll(async () => {
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  const right = (name: string, address: string): Promise<string> =>
    limits.run({ name, address }, async () => "signed in");
  /** Makes failing sign-ins. Returns the codes of their failures. */
  const guess = async (count: number, name: string, address: string): Promise<readonly string[]> => {
    const codes: string[] = [];
    for (let at = 0; at < count; at++)
      await limits
        .run({ name, address }, () => Promise.reject(new Failure("invalid_api_key", "wrong")))
        .catch((error: unknown) => codes.push(error instanceof Failure ? error.code : "none"));
    return codes;
  };

  test("the eleventh attempt for a name from an address is refused, with the time to wait", async () => {
    const codes = await guess(11, "ada", "192.0.2.1");
    expect(codes).toEqual([...Array.from({ length: 10 }, () => "invalid_api_key"), "rate_limit_exceeded"]);
    await expect(right("ada", "192.0.2.1")).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  });

  test("attempts from one address do not lock the user out at others", async () => {
    await guess(200, "ada", "192.0.2.1");
    expect(await right("ada", "192.0.2.2")).toBe("signed in");
  });

  test("attempts for other names from a shared address do not lock out users of that address", async () => {
    await right("ada", "192.0.2.1");
    for (let at = 0; at < 40; at++) await guess(1, `name-${at}`, "192.0.2.1");
    expect(await guess(1, "new", "192.0.2.1")).toEqual(["rate_limit_exceeded"]);
    expect(await right("ada", "192.0.2.1")).toBe("signed in");
  });

  test("attempts from many addresses are limited, and do not lock out known addresses", async () => {
    await right("ada", "192.0.2.1");
    const codes: string[] = [];
    for (let at = 0; at < 12; at++) codes.push(...(await guess(9, "ada", `198.51.100.${at}`)));
    expect(codes.filter((code) => code === "invalid_api_key")).toHaveLength(100);
    expect(await right("ada", "192.0.2.1")).toBe("signed in");
  });

  /** Returns the counters without an expiry. */
  const endlessCounters = async (): Promise<readonly string[]> => {
    const keys = await redis.keys("console:sign-in:*");
    const expiries = await Promise.all(keys.map((key) => redis.ttl(key)));
    return keys.filter((_, at) => expiries[at] === -1);
  };

  test("a counter that lost its expiry gets one with the next attempt", async () => {
    await guess(10, "ada", "192.0.2.1");
    for (const key of await redis.keys("console:sign-in:*")) await redis.persist(key);
    expect(await endlessCounters()).toHaveLength(3);
    expect(await guess(3, "ada", "192.0.2.1")).toEqual(Array.from({ length: 3 }, () => "rate_limit_exceeded"));
    await guess(1, "ada", "192.0.2.2");
    await guess(1, "bob", "192.0.2.1");
    expect(await endlessCounters()).toEqual([]);
  });

  test("a counter that expires during a sign-in does not come back without an expiry", async () => {
    await limits.run({ name: "ada", address: "192.0.2.1" }, () => redis.flushall());
    expect(await endlessCounters()).toEqual([]);
  });
});
