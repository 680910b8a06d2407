import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { WorkCheck, readServerState } from "../src/index.ts";

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

test("servers report whether something was written", async () => {
  const before = await readServerState(redis);
  await redis.get("absent");
  expect(await readServerState(redis)).toEqual(before);
  await redis.set("one", "1");
  const after = await readServerState(redis);
  expect(after.runs).toBe(before.runs);
  expect(after.writes).not.toBe(before.writes);
});

test("work is read after a write, during the grace time, and when an entry is due", async () => {
  let now = 1_000_000;
  let due = Infinity;
  let reads = 0;
  const nextDue = () => {
    reads++;
    return Promise.resolve(due);
  };
  const workCheck = new WorkCheck({ redis, graceMs: 5_000, nextDue, now: () => now });
  expect(await workCheck.hasWork()).toBe(true);
  now += 5_000;
  expect(await workCheck.hasWork()).toBe(true);
  now += 1;
  due = now + 3_000;
  expect(await workCheck.hasWork()).toBe(false);
  now += 2_999;
  expect(await workCheck.hasWork()).toBe(false);
  expect(reads).toBe(1);
  now += 1;
  expect(await workCheck.hasWork()).toBe(true); // the entry is still due
  expect(await workCheck.hasWork()).toBe(true);
  due = Infinity;
  await redis.set("two", "2");
  expect(await workCheck.hasWork()).toBe(true);
  now += 5_001;
  expect(await workCheck.hasWork()).toBe(false);
  expect(reads).toBe(2);
  now += 55_000;
  expect(await workCheck.hasWork()).toBe(true); // the regular sweep, even without writes
  expect(await workCheck.hasWork()).toBe(false);
});

test("a check that read the work before a write does not hide that write from later checks", async () => {
  let now = 1_000_000;
  const reads: PromiseWithResolvers<number>[] = [];
  const nextDue = () => {
    const read = Promise.withResolvers<number>();
    reads.push(read);
    return read.promise;
  };
  const workCheck = new WorkCheck({ redis, graceMs: 0, nextDue, now: () => now });
  expect(await workCheck.hasWork()).toBe(true);
  now += 1;
  const early = workCheck.hasWork();
  await vi.waitFor(() => expect(reads).toHaveLength(1), 60_000);
  await redis.set("three", "3");
  expect(await workCheck.hasWork()).toBe(true); // sees the write
  reads[0]?.resolve(Infinity);
  expect(await early).toBe(false);
  now += 1;
  const late = workCheck.hasWork();
  await vi.waitFor(() => expect(reads).toHaveLength(2), 60_000);
  reads[1]?.resolve(now);
  expect(await late).toBe(true);
});
