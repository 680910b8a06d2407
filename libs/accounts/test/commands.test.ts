import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testUsageDraft, startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { admit, createAccount, hold, writeBudgetsToRedis, releaseSeat, settle, type Budget } from "../src/index.ts";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

async function commands(): Promise<ReadonlyMap<string, number>> {
  const text = await redis.info("commandstats");
  const matches = text.matchAll(/^cmdstat_(\S+):calls=(\d+)/gm);
  return new Map(Array.from(matches, ([, name = "", calls]) => [name, Number(calls)]));
}

const [accountId, tokenId] = ["counted", "tok_1"];
const limits = { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, concurrency: 10 };
const price = { nanos: 1_000n, floorNanos: 10n, tokens: 100, tokensPerMinute: limits.tokensPerMinute };

async function call(callId: string): Promise<void> {
  const seat = { accountId, limitsId: tokenId, seatId: callId };
  expect(await admit(redis, { ...seat, tokenId, limits, needsBalance: true, leaseMs: 30_000 })).toMatchObject({
    decision: "admitted",
  });
  const draft = testUsageDraft(accountId, callId);
  await hold(redis, { accountId, callId, draft, tokenId, ...price, leaseMs: 15_000, outboxBound: 1_000 });
  expect(await settle(redis, { accountId, callId, costNanos: 400n, tokens: 60, draft })).toBeDefined();
  await releaseSeat(redis, seat);
}

/** Returns the number of commands inside the four scripts of one call. */
async function commandsOfCall(): Promise<number> {
  await call("first"); // afterwards the scripts and the keys of the current minute exist
  await redis.config("RESETSTAT");
  const count = 10;
  for (let at = 0; at < count; at++) await call(`call-${at}`);
  const after = await commands();
  expect(after.get("evalsha")).toBe(4 * count);
  const commandsOfTest = ["evalsha", "info", "config|resetstat"];
  return (
    [...after].filter(([name]) => !commandsOfTest.includes(name)).reduce((sum, [, calls]) => sum + calls, 0) / count
  );
}

test("the four scripts of a call with every limit call fewer than 25 commands; any number of budgets adds four, those of an organisation four more", async () => {
  await createAccount(redis, { id: accountId, balance: 10n ** 15n });
  const plain = await commandsOfCall();
  expect(plain).toBeLessThan(25);
  const budgets = ["account", `key:${tokenId}`, "model:m", "model:other"].map((scope, at): Budget => {
    const amount = { period: "month", zone: "Europe/Berlin", nanos: "1000000000", mode: "hard" } as const;
    return { id: `bud_${at}`, scope, ...amount, createdAt: "2026-01-01T00:00:00Z" };
  });
  await writeBudgetsToRedis(redis, accountId, { version: 1, budgets }, new Map());
  expect(await commandsOfCall()).toBe(plain + 4);
  const ofOrganisation = budgets.map((budget) => ({ ...budget, id: `o${budget.id}`, scope: "organisation:acme" }));
  await writeBudgetsToRedis(redis, accountId, { version: 2, budgets: [...ofOrganisation, ...budgets] }, new Map());
  expect(await commandsOfCall()).toBe(plain + 8);
  await writeBudgetsToRedis(redis, accountId, { version: 3, budgets: budgets.slice(3) }, new Map());
  expect(await commandsOfCall()).toBe(plain);
});
