import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { ContentQuota } from "../src/content/content.ts";

let backends: LocalBackends;
let redis: Redis;
let count = 0;
let now = 0;
let quota: ContentQuota;
const day = 24 * 3_600_000;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  count++;
  now = Date.now();
  quota = new ContentQuota(redis, { maxBytes: 1_000, maxRecords: 3 }, () => now);
});
const recordNamed = (record: string) => ({ accountId: `keeper-${count}`, record });

test("an account stores up to the maximum bytes over all records, independently of other accounts", async () => {
  expect(await quota.setBytes(recordNamed("a"), 600, day)).toBe(true);
  expect(await quota.setBytes(recordNamed("b"), 500, day)).toBe(false);
  expect(await quota.setBytes(recordNamed("b"), 400, day)).toBe(true);
  expect(await quota.setBytes({ accountId: `other-${count}`, record: "a" }, 1_000, day)).toBe(true);
});

test("a record that is replaced counts once; one that does not grow is never refused", async () => {
  expect(await quota.setBytes(recordNamed("a"), 900, day)).toBe(true);
  expect(await quota.setBytes(recordNamed("a"), 1_000, day)).toBe(true);
  expect(await quota.setBytes(recordNamed("a"), 1_001, day)).toBe(false);
  expect(await quota.setBytes(recordNamed("a"), 1_000, day)).toBe(true);
});

test("a record that is dropped, shrinks or expires releases its share", async () => {
  expect(await quota.setBytes(recordNamed("a"), 1_000, day)).toBe(true);
  await quota.release(recordNamed("a"));
  expect(await quota.addBytes(recordNamed("b"), 1_000, 60_000)).toBe(true);
  expect(await quota.addBytes(recordNamed("b"), 1, 60_000)).toBe(false);
  expect(await quota.addBytes(recordNamed("b"), -100, 60_000)).toBe(true);
  expect(await quota.setBytes(recordNamed("c"), 100, day)).toBe(true);
  expect(await quota.setBytes(recordNamed("d"), 100, day)).toBe(false);
  now += 60_001;
  expect(await quota.setBytes(recordNamed("d"), 900, day)).toBe(true);
});

test("required content is counted even if the account is full", async () => {
  expect(await quota.setBytes(recordNamed("a"), 990, day)).toBe(true);
  await quota.addBytesBeyondLimit(recordNamed("a"), 20, day);
  expect(await quota.addBytes(recordNamed("a"), 1, day)).toBe(false);
  expect(await quota.addBytes(recordNamed("a"), -10, day)).toBe(true);
  expect(await quota.setBytes(recordNamed("b"), 1, day)).toBe(false);
});

test("an account stores up to the maximum number of records", async () => {
  for (const name of ["a", "b", "c"]) expect(await quota.setBytes(recordNamed(name), 1, day)).toBe(true);
  expect(await quota.setBytes(recordNamed("d"), 1, day)).toBe(false);
});

test("concurrent calls never store more than the account's maximum", async () => {
  const results = await Promise.all(Array.from({ length: 50 }, () => quota.addBytes(recordNamed("a"), 100, day)));
  expect(results.filter(Boolean)).toHaveLength(10);
});
