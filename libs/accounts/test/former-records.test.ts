import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readUsageEvent, UnknownShape } from "@modelgate/contracts";
import { testUsageDraft, type LocalBackends, startLocalBackends } from "@modelgate/testkit";
import {
  accountKeys,
  appliedBudget,
  createAccount,
  findTask,
  findToken,
  hold,
  makeLimitBudget,
  listCredits,
  readBudgetUsage,
  readUnpublished,
  shardOf,
} from "../src/index.ts";
import { settlementEntry } from "../src/money/chain.ts";

/** Records as version 1c5319f wrote them. */
const formerRecords = {
  token:
    '{"id":"tok_1","accountId":"acme","group":"default","name":"laptop","disabled":false,"createdAt":"2026-11-01T10:00:00.000Z","hint":"mg-abc…xyz"}',
  task: '{"id":"task_1","accountId":"acme","tokenId":"tok_1","model":"clip","channelId":"kling","keyId":"k1","wire":"kling-video","operation":"op-1","asked":{"prompt":"a cat","seconds":5,"fromImage":false},"callId":"call-1","costNanos":"1000","draft":{"id":"call-1","time":"2026-11-01T10:00:00.000Z","requestId":"r-1","accountId":"acme","tokenId":"tok_1","group":"default","area":"video","endpoint":"POST /v1/videos","model":"clip","upstreamModel":"clip-1","channelId":"kling","status":200,"outcome":"completed","units":{"seconds":5},"estimated":false,"multiplier":1,"latencyMs":12,"firstByteMs":0,"attempts":1},"state":"in_progress","progress":40,"createdAt":1793527200000,"startedAt":1793527201000,"deadlineAt":1793530800000,"looks":3,"misses":0}',
  credit:
    '{"id":"acme.opening","time":"2026-11-01T10:00:00.000Z","accountId":"acme","operationId":"opening","kind":"opening","nanos":"1000","reason":"opening balance","receipt":{"number":1,"previous":"","balanceNanos":"1000","hash":"abc"}}',
};

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

describe("a record of the previous version", () => {
  test("reads a token", async () => {
    await redis.set(accountKeys.token("digest"), formerRecords.token);
    expect(await findToken(redis, "digest")).toEqual(JSON.parse(formerRecords.token));
  });

  test("reads a task", async () => {
    await redis.hset(accountKeys.task("acme", "task_1"), { version: "3", record: formerRecords.task });
    const { asked: requested, looks: polls, ...rest } = JSON.parse(formerRecords.task);
    expect(await findTask(redis, "acme", "task_1")).toEqual({ version: "3", task: { ...rest, requested, polls } });
  });

  test("reads a usage event without changing what the hash of its receipt covers", () => {
    const draft = { ...testUsageDraft("acme", "call"), tries: [{ channel: "c", key: "k", ms: 1, said: "Overheated" }] };
    const hash = createHash("sha1")
      .update(["", 1, -3, "-3", JSON.stringify(draft)].join("\n"))
      .digest("hex");
    const receipt = { number: 1, previous: "", balanceNanos: "-3", hash };
    const stored = readUsageEvent(JSON.stringify({ ...draft, costNanos: "3", receipt }));
    expect(settlementEntry(stored)).toMatchObject({ hasCorrectHash: true });
  });

  test("reads a credit", async () => {
    await redis.hset(accountKeys.credits("acme"), "opening", formerRecords.credit);
    expect(await listCredits(redis, "acme")).toEqual([JSON.parse(formerRecords.credit)]);
  });

  test.each(["2026-11-26", "2026-12-31", "2027-01-01", "2027-03-01", "2028-02-29", "2100-02-28", "2100-03-01"])(
    "counts the spending of a key and a group on %s",
    async (date) => {
      const id = `spender-${date}`;
      await createAccount(redis, { id, balance: 1_000n });
      const key = accountKeys.budgets(id);
      await redis.hset(`${key}:${date}`, { "token:tok_1": "90", "group:g": "7" });
      await redis.hset(`${key}:${date.slice(0, "2026-11".length)}`, { "token:tok_1": "91" });
      const nowMs = Date.parse(`${date}T23:59:59Z`);
      const limits = [
        makeLimitBudget("key:tok_1", "day", "100"),
        makeLimitBudget("key:tok_1", "month", "100"),
        makeLimitBudget("group:g", "day", "100"),
        makeLimitBudget("group:g", "month", "100"),
      ].map((budget) => appliedBudget(budget, nowMs));
      const used = async () => (await readBudgetUsage(redis, id, limits)).map(({ usedNanos }) => usedNanos);
      expect(await used()).toEqual([90n, 91n, 7n, 0n]);
      const draft = { ...testUsageDraft(id, "call"), tokenId: "tok_1", group: "g" };
      const budgets = { tokenPerDay: "100", tokenPerMonth: "100", groupPerDay: "100", groupPerMonth: "100" };
      const call = { accountId: id, draft, tokenId: "tok_1", budgets, floorNanos: 0n, tokens: 0, nowMs };
      const placeHold = (callId: string, nanos: bigint) =>
        hold(redis, { ...call, callId, nanos, leaseMs: 1_000, outboxBound: 1_000 });
      await expect(placeHold("more", 10n)).rejects.toMatchObject({ code: "insufficient_quota", remainingNanos: 9n });
      await placeHold("rest", 9n);
      expect(await used()).toEqual([99n, 100n, 16n, 9n]);
    },
  );
});

describe("a record of an unknown schema", () => {
  test("refuses a token, and does not quote it", async () => {
    await redis.set(accountKeys.token("odd"), '{"id":"secret"}');
    await expect(findToken(redis, "odd")).rejects.toThrow(UnknownShape);
    await expect(findToken(redis, "odd")).rejects.toThrow(/^stored token cannot be read: it must have required prop/);
  });

  test("does not delay the other events of its outbox", async () => {
    const shard = shardOf("late");
    const odd = await redis.xadd(accountKeys.outbox(shard), "*", "task", '{"taskId":7}');
    await createAccount(redis, { id: "late", balance: 5n });
    const unreadable: string[] = [];
    const unpublished = await readUnpublished(redis, shard, -1_000, 10, (_, entryId) => unreadable.push(entryId));
    expect(unreadable).toEqual([odd]);
    expect(unpublished.map(({ event }) => event.id)).toEqual(["late.opening"]);
  });
});
