import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openContentQuota } from "@modelgate/accounts";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { BackgroundStore } from "../../src/responses/background/background-store.ts";
import { makeRecordCipher } from "../../src/responses/record-cipher.ts";

let backends: LocalBackends;
let redis: Redis;
let store: BackgroundStore;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
  const records = { redis, quota: openContentQuota(redis, { maxBytes: 1e6 }), cipher: makeRecordCipher(["a secret"]) };
  const limits = { leaseMs: 600_000, maxDurationMs: 600_000, maxPerToken: 9, eventsLifetimeMs: 600_000 };
  store = new BackgroundStore(records, limits);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

let count = 0;
let ref = { accountId: "background-store", id: "" };
const renew = () => store.renew(ref, "token");
const expire = async () => void (await redis.del(...(await redis.keys(`background:*:${ref.id}`))));
beforeEach(async () => {
  ref = { accountId: "background-store", id: `resp_${++count}` };
  await store.takeLease(ref, "token");
});

test("an expired lease is taken again, for example after a failure of Redis", async () => {
  await expire();
  expect(await store.hasLease(ref)).toBe(false);
  expect(await renew()).toBe("renewed");
  expect([await store.hasLease(ref), await store.markFailed(ref)]).toEqual([true, false]);
});

test("the lease of a response that was marked as failed is lost", async () => {
  await expire();
  expect([await store.markFailed(ref), await store.markFailed(ref)]).toEqual([true, true]);
  expect([await renew(), await store.hasLease(ref)]).toEqual(["lost", false]);
});

test("a response that is deleted while it has no lease is not stored", async () => {
  await expire();
  await store.markDeleted(ref);
  expect(await renew()).toBe("deleted");
});
