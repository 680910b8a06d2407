import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBackends, type Backends } from "@modelgate/testkit";
import {
  accountKeys as keys,
  createAccount,
  credit,
  hold,
  readLogPage,
  recordUsage,
  settle,
  verifyAccount,
} from "../src/index.ts";
import { draftOf } from "./draft.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const today = new Date().toISOString().slice(0, 10);
const options = { keepDays: 2, waitMs: 0 };
let accounts = 0;

/** An account with an opening balance, three settled calls, a top-up in between, and one call under way. */
async function booked(): Promise<string> {
  const id = `books-${accounts++}`;
  await createAccount(redis, { id, balance: 1_000n });
  for (const call of [1, 2, 3, 4]) {
    const callId = `${id}-${call}`;
    const draft = { ...draftOf(id, callId), time: new Date().toISOString(), requestId: `request-${call % 2}` };
    await hold(redis, {
      accountId: id,
      callId,
      nanos: 100n,
      floorNanos: 0n,
      draft,
      tokenId: "tok_1",
      tokens: 0,
      leaseMs: 60_000,
      outboxBound: 1_000,
    });
    if (call === 4) continue;
    const settled = await settle(redis, { accountId: id, callId, tokenId: "tok_1", costNanos: 70n, tokens: 0, draft });
    if (settled !== undefined) await recordUsage(redis, settled.event, { keepSeconds: 60, logEntries: 100 });
    await redis.del(keys.outbox(/\{s(\d\d)\}/.exec(keys.account(id))?.[1] ?? ""));
    if (call === 2) await credit(redis, { accountId: id, nanos: 500n, reason: "invoice 7", operationId: "seven" });
  }
  return id;
}

/** Replaces an event in the log by what `change` makes of its text; undefined takes it out. */
async function tamper(id: string, call: number, change: (text: string) => string | undefined): Promise<void> {
  const key = keys.usageLog(id, today);
  const entries = await redis.xrange(key, "-", "+");
  await redis.del(key);
  for (const [entry, [, text = ""]] of entries) {
    const changed = text.includes(`"${id}-${call}"`) ? change(text) : text;
    if (changed !== undefined) await redis.xadd(key, entry, "event", changed);
  }
}

test("books that nobody touched hold, with calls under way", async () => {
  const id = await booked();
  expect(await verifyAccount(redis, id, options)).toEqual({
    account: id,
    ok: true,
    from: 1,
    to: 5,
    balanceNanos: 1_290n,
  });
  expect(await verifyAccount(redis, "nobody", options)).toBeUndefined();
});

test.each<[string, (id: string) => Promise<unknown>, object]>([
  [
    "a call's cost was altered in the log",
    (id) => tamper(id, 2, (text) => text.replace('"costNanos":"70"', '"costNanos":"60"')),
    { receipt: 3, say: expect.stringContaining("was altered") },
  ],
  [
    "what a call used was altered",
    (id) => tamper(id, 1, (text) => text.replace('"model":"m"', '"model":"cheap"')),
    { receipt: 2, say: expect.stringContaining("was altered") },
  ],
  [
    "an event is gone",
    (id) => tamper(id, 3, () => undefined),
    { receipt: 5, say: expect.stringContaining("in no log") },
  ],
  [
    "the reason of a credit was altered",
    async (id) => {
      const entry = (await redis.hget(keys.credits(id), "seven")) ?? "";
      await redis.hset(keys.credits(id), "seven", entry.replace("invoice 7", "invoice 8"));
    },
    { receipt: 4, entry: "seven", say: expect.stringContaining("was altered") },
  ],
  [
    "money was put into the account past the books",
    (id) => redis.hincrby(keys.account(id), "available", 1_000_000),
    { say: expect.stringContaining("a balance of 1001290, its receipts make 1290") },
  ],
  [
    "the account forgot what it spent",
    (id) => redis.hset(keys.account(id), "spent", "0"),
    { say: expect.stringContaining("spending of 0, its receipts make 210") },
  ],
  [
    "a hold vanished with its money",
    (id) => redis.del(keys.hold(id, `${id}-4`)),
    { say: "the account holds 100, its open calls 0" },
  ],
])("%s: the first divergence is named", async (_, harm, divergence) => {
  const id = await booked();
  await harm(id);
  expect(await verifyAccount(redis, id, options)).toMatchObject({ ok: false, divergence });
});

test("the log is read by pages, in both orders, and by request", async () => {
  const id = await booked();
  const query = { from: today, to: today, account: id } as const;
  const ids = (page: { readonly events: readonly { readonly id: string }[] }) => page.events.map((event) => event.id);
  const first = await readLogPage(redis, { ...query, order: "oldest first" }, 2);
  expect(ids(first)).toEqual([`${id}-1`, `${id}-2`]);
  const second = await readLogPage(redis, { ...query, order: "oldest first" }, 2, first.next);
  expect([ids(second), second.next]).toEqual([[`${id}-3`], undefined]);
  expect(ids(await readLogPage(redis, { ...query, order: "newest first" }, 2))).toEqual([`${id}-3`, `${id}-2`]);
  const byRequest = await readLogPage(redis, { ...query, requestId: "request-1", order: "oldest first" }, 10);
  expect(ids(byRequest)).toEqual([`${id}-1`, `${id}-3`]);
  for (const wrong of [{ model: "other" }, { token: "tok_2" }, { channel: "x" }, { from: `${today}T23:59:59.999Z` }])
    expect(ids(await readLogPage(redis, { ...query, ...wrong, order: "oldest first" }, 10))).toEqual([]);
});
