import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Budgets } from "@modelgate/contracts";
import { testUsageDraft, type LocalBackends, startLocalBackends } from "@modelgate/testkit";
import {
  admit,
  createAccount,
  credit,
  keyDigest,
  findAccount,
  findToken,
  findTokenById,
  hold,
  releaseSeat,
  limitsIdOf,
  listTokens,
  newKey,
  writeTokenToRedis,
  releaseHold,
  renewSeats,
  settle,
  makeToken,
  writeEpoch,
  type TokenLimits,
} from "../src/index.ts";
import { accountKeys } from "../src/keys.ts";

let backends: LocalBackends;
let redis: Redis;
let accountId: string;
let count = 0;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
  await writeEpoch(redis, "of these tests");
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  accountId = `account-${count++}`;
  await createAccount(redis, { id: accountId, balance: 1_000n });
});

const start = 1_000_000;
const ask = (limits: TokenLimits, nowMs = start, seatId = `seat-${nowMs}-${count++}`) =>
  admit(redis, {
    accountId,
    limitsId: "tok_1",
    tokenId: "tok_1",
    seatId,
    limits,
    needsBalance: true,
    leaseMs: 1_000,
    nowMs,
  });

describe("requests per minute", () => {
  test("the complete limit is available at first, then refilled evenly", async () => {
    const limits = { requestsPerMinute: 3 };
    const first = [await ask(limits), await ask(limits), await ask(limits), await ask(limits)];
    expect(first.map(({ decision }) => decision)).toEqual(["admitted", "admitted", "admitted", "requests"]);
    expect(first.map(({ requests }) => requests?.remaining)).toEqual([2, 1, 0, 0]);
    expect(first[3]).toMatchObject({ retryAfterMs: 20_000, requests: { limit: 3, resetMs: 60_000 } });
    expect((await ask(limits, start + 19_000)).decision).toBe("requests");
    expect((await ask(limits, start + 20_000)).decision).toBe("admitted");
    expect((await ask(limits, start + 20_001)).decision).toBe("requests");
  });

  test("a refusal changes nothing", async () => {
    const limits = { requestsPerMinute: 2, concurrency: 1 };
    expect((await ask(limits)).decision).toBe("admitted");
    expect((await ask(limits)).decision).toBe("concurrency");
    expect((await ask(limits)).requests?.remaining).toBe(1);
  });
});

describe("requests per day", () => {
  const day = 86_400_000;

  test("exactly the limit is admitted in a day of UTC, by concurrent calls too, and again from midnight", async () => {
    const limits = { requestsPerDay: 5 };
    const noon = 20_000.5 * day;
    const decisions = (await Promise.all(Array.from({ length: 50 }, () => ask(limits, noon)))).map(
      (each) => each.decision,
    );
    expect(decisions.filter((decision) => decision === "admitted")).toHaveLength(5);
    expect(decisions.filter((decision) => decision === "day")).toHaveLength(45);
    expect(await ask(limits, 20_001 * day - 1)).toMatchObject({ decision: "day", retryAfterMs: 1 });
    expect((await ask(limits, 20_001 * day)).decision).toBe("admitted");
  });

  test("a call that another limit refuses is not counted, and the count outlives the minute", async () => {
    const limits = { requestsPerDay: 2, requestsPerMinute: 60, concurrency: 1 };
    const morning = 20_000 * day;
    expect((await ask(limits, morning)).decision).toBe("admitted");
    expect((await ask(limits, morning)).decision).toBe("concurrency");
    expect((await ask(limits, morning + 0.4 * day)).decision).toBe("admitted");
    expect((await ask(limits, morning + 0.9 * day)).decision).toBe("day");
    expect(await redis.pttl(accountKeys.bucket(accountId, "tok_1"))).toBeGreaterThan(0.6 * day);
  });
});

describe("requests per day of keys", () => {
  const day = 86_400_000;
  const noon = 20_000.5 * day;
  const askAs = (
    tokenId: string,
    budgets: Budgets,
    { nowMs = noon, limits = {} }: { nowMs?: number; limits?: TokenLimits } = {},
  ) => {
    const call = { accountId, limitsId: "members:default", tokenId, budgets, limits };
    return admit(redis, { ...call, seatId: `seat-${count++}`, needsBalance: true, leaseMs: 1_000, nowMs });
  };

  test("each key has its own, although keys share the limits of their group", async () => {
    const calls = Array.from({ length: 20 }, () => askAs("tok_a", { tokenRequestsPerDay: 3 }));
    const decisions = (await Promise.all(calls)).map(({ decision }) => decision);
    expect(decisions.filter((decision) => decision === "admitted")).toHaveLength(3);
    expect(decisions.filter((decision) => decision === "key-day")).toHaveLength(17);
    expect((await askAs("tok_b", { tokenRequestsPerDay: 1 })).decision).toBe("admitted");
    expect((await askAs("tok_c", {})).decision).toBe("admitted");
    const last = await askAs("tok_a", { tokenRequestsPerDay: 3 }, { nowMs: 20_001 * day - 1 });
    expect(last).toMatchObject({ decision: "key-day", retryAfterMs: 1, keyLimit: 3 });
    expect((await askAs("tok_a", { tokenRequestsPerDay: 3 }, { nowMs: 20_001 * day })).decision).toBe("admitted");
  });

  test("a member's key counts in the limit of the operator's key too", async () => {
    const shared = { within: "tok_o", withinRequestsPerDay: 3 };
    expect((await askAs("tok_m", { ...shared, tokenRequestsPerDay: 1 })).decision).toBe("admitted");
    expect(await askAs("tok_m", { ...shared, tokenRequestsPerDay: 1 })).toMatchObject({
      decision: "key-day",
      keyLimit: 1,
    });
    expect((await askAs("tok_n", shared)).decision).toBe("admitted");
    expect((await askAs("tok_o", { tokenRequestsPerDay: 3 })).decision).toBe("admitted");
    expect(await askAs("tok_n", shared)).toMatchObject({ decision: "key-day", keyLimit: 3 });
  });

  test("a call that another limit refuses is not counted", async () => {
    const budgets = { tokenRequestsPerDay: 2 };
    const limits = { concurrency: 1 };
    expect((await askAs("tok_q", budgets, { limits })).decision).toBe("admitted");
    expect((await askAs("tok_q", budgets, { limits })).decision).toBe("concurrency");
    expect((await askAs("tok_q", budgets)).decision).toBe("admitted");
    expect((await askAs("tok_q", budgets)).decision).toBe("key-day");
  });
});

describe("concurrency", () => {
  test("seats are released, renewed, and expire", async () => {
    const limits = { concurrency: 2 };
    expect((await ask(limits, start, "a")).decision).toBe("admitted");
    expect((await ask(limits, start, "b")).decision).toBe("admitted");
    expect((await ask(limits, start, "c")).decision).toBe("concurrency");
    await releaseSeat(redis, { accountId, limitsId: "tok_1", seatId: "a" });
    expect((await ask(limits, start, "c")).decision).toBe("admitted");
    await renewSeats(redis, [{ accountId, limitsId: "tok_1", seatId: "b" }], 1_000, start + 900);
    // c was not renewed: its seat is free, b's is not.
    expect((await ask(limits, start + 1_500, "d")).decision).toBe("admitted");
    expect((await ask(limits, start + 1_500, "e")).decision).toBe("concurrency");
    expect((await ask(limits, start + 3_000, "e")).decision).toBe("admitted");
  });
});

test("a seat is renewed by Redis' clock, also if the clock of the process is late", async () => {
  const leaseMs = 3_600_000;
  const seats = accountKeys.seats(accountId, "tok_1");
  await redis.zadd(seats, 1, "a");
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  await renewSeats(redis, [{ accountId, limitsId: "tok_1", seatId: "a" }], leaseMs);
  const [seconds = 0] = await redis.time();
  expect(Number(await redis.zscore(seats, "a"))).toBeGreaterThan(seconds * 1_000);
});

describe("tokens per minute", () => {
  const tokensPerMinute = 600;
  const take = (tokens: number, nowMs = start, callId = `call-${count++}`, limitsId?: string) =>
    hold(redis, {
      accountId,
      callId,
      nanos: 1n,
      floorNanos: 0n,
      draft: testUsageDraft(accountId, callId),
      tokenId: "tok_1",
      limitsId,
      tokens,
      tokensPerMinute,
      leaseMs: 1_000,
      outboxBound: 100,
      nowMs,
    }).then(() => callId);
  test("a call reserves its expected tokens and returns the unused ones", async () => {
    const call = await take(500);
    expect((await ask({ tokensPerMinute })).tokens).toEqual({ limit: 600, remaining: 100, resetMs: 50_000 });
    await expect(take(200)).rejects.toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 10 });
    await settle(redis, {
      accountId,
      callId: call,
      costNanos: 0n,
      tokens: 50,
      draft: testUsageDraft(accountId, call),
      nowMs: start,
    });
    expect((await ask({ tokensPerMinute })).tokens?.remaining).toBe(550);
    await take(550);
    expect((await ask({ tokensPerMinute })).decision).toBe("tokens");
  });

  test("limits that keys share are reserved and returned for all of them", async () => {
    const [ofMember, limitsId] = [{ id: "tok_2", group: "default", ofMember: true as const }, "members:default"];
    expect([limitsIdOf(ofMember), limitsIdOf({ ...ofMember, ofMember: undefined })]).toEqual([limitsId, "tok_2"]);
    const call = await take(500, start, "shared", limitsId);
    await expect(take(200, start, "other", limitsId)).rejects.toMatchObject({ code: "rate_limit_exceeded" });
    await take(200); // the limits of the token alone
    await releaseHold(redis, { accountId, callId: call });
    await take(600, start, "whole", limitsId);
  });

  test("absurdly large numbers move no money that is not returned", async () => {
    const call = await take(1e300);
    expect(await findAccount(redis, accountId)).toMatchObject({ heldNanos: 1n });
    await settle(redis, {
      accountId,
      callId: call,
      costNanos: 0n,
      tokens: 1e300,
      draft: testUsageDraft(accountId, call),
      nowMs: start,
    });
    expect(await findAccount(redis, accountId)).toMatchObject({ heldNanos: 0n, balanceNanos: 1_000n });
  });

  test("a call larger than the limit per minute is admitted once and leaves a debt", async () => {
    await take(1_200);
    expect(await ask({ tokensPerMinute })).toMatchObject({ decision: "tokens", tokens: { remaining: 0 } });
    expect((await ask({ tokensPerMinute }, start + 59_000)).decision).toBe("tokens");
    expect((await ask({ tokensPerMinute }, start + 61_000)).decision).toBe("admitted");
  });
});

test("an empty and an absent account are distinguished, and free endpoints need no money", async () => {
  const poor = `${accountId}-poor`;
  await createAccount(redis, { id: poor, balance: 0n });
  const base = { limitsId: "t", tokenId: "t", seatId: "p", limits: {}, leaseMs: 1_000 };
  expect((await admit(redis, { ...base, accountId: poor, needsBalance: true })).decision).toBe("balance");
  expect((await admit(redis, { ...base, accountId: poor, needsBalance: false })).decision).toBe("admitted");
  expect((await admit(redis, { ...base, accountId: "absent", needsBalance: false })).decision).toBe("no-account");
});

test("tokens are found by digest, changed by id, announced to every edge, and their keys are not in Redis", async () => {
  const listener = new Redis(backends.redisUrl);
  const announced: string[] = [];
  listener.on("message", (_channel: string, digest: string) => announced.push(digest));
  await listener.subscribe(accountKeys.tokenChanges);
  const [key, otherKey] = [newKey(), newKey()];
  const { digest, token } = makeToken(key, { accountId, group: "g", models: ["m"] });
  await writeTokenToRedis(redis, digest, { ...token, version: 2 });
  const other = makeToken(otherKey, { accountId, group: "g" });
  await writeTokenToRedis(redis, other.digest, other.token);
  expect(await findToken(redis, keyDigest(key))).toEqual({ ...token, version: 2 });
  // A late write of an earlier version changes nothing.
  await writeTokenToRedis(redis, digest, { ...token, version: 1, disabled: true });
  expect(await findToken(redis, digest)).toMatchObject({ disabled: false });
  await writeTokenToRedis(redis, digest, { ...token, version: 3, disabled: true });
  expect(await findTokenById(redis, token.id)).toMatchObject({ disabled: true });
  expect(await findTokenById(redis, "tok_none")).toBeUndefined();
  expect(await listTokens(redis, accountId)).toHaveLength(2);
  await expect.poll(() => announced).toEqual([digest, keyDigest(otherKey), digest, digest]);
  listener.disconnect();
  expect(await contentOf(redis)).not.toMatch(new RegExp(`${key}|${otherKey}`));
});

test("the total credit of an account stays within the exact range", async () => {
  const maxAmount = 10n ** 18n;
  const replies = [];
  for (let at = 0; at < 9; at++)
    replies.push(await credit(redis, { accountId, nanos: maxAmount, reason: "test", operationId: `large-${at}` }));
  expect(replies).toEqual([...Array.from({ length: 7 }, () => "credited"), "too-large", "too-large"]);
  expect(await findAccount(redis, accountId)).toMatchObject({
    balanceNanos: 7n * maxAmount + 1_000n,
    creditedNanos: 7n * maxAmount + 1_000n,
  });
});

test("all Redis keys of an account are in one slot", () => {
  const tag = /^\w[\w-]*:(\{s\d\d\})/.exec(accountKeys.account("acme"))?.[1];
  const all = [
    accountKeys.credits("acme"),
    accountKeys.bucket("acme", "t"),
    accountKeys.seats("acme", "t"),
    accountKeys.hold("acme", "c"),
    accountKeys.budgets("acme"),
    accountKeys.budgetList("acme"),
    accountKeys.accountTokens("acme"),
  ];
  expect(tag).toBeDefined();
  for (const key of all) expect(key).toContain(tag);
});

async function contentOf(from: Redis): Promise<string> {
  const texts: string[] = [];
  for (const name of await from.keys("*")) {
    const type = await from.type(name);
    const value =
      type === "hash"
        ? await from.hgetall(name)
        : type === "set"
          ? await from.smembers(name)
          : type === "zset"
            ? await from.zrange(name, "0", "-1")
            : type === "stream"
              ? await from.xrange(name, "-", "+")
              : await from.get(name);
    texts.push(name, JSON.stringify(value));
  }
  return texts.join("\n");
}
