import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backends, testUsageDraft, startBackends } from "@modelgate/testkit";
import type { UsageEvent } from "@modelgate/contracts";
import { accountKeys, createAccount, credit, findAccount, hold, settle, shardOf, verifyAccount } from "../src/index.ts";

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

/** Test replacement for the books: the JSON of each account's settled calls, ordered by time. */
const logs = new Map<string, string[]>();
function logOf(id: string): string[] {
  const log = logs.get(id) ?? [];
  logs.set(id, log);
  return log;
}
const dayMs = 86_400_000;
const optionsFor = (id: string) => ({
  createdAt: "",
  anchors: [],
  wasReplaced: async () => false,
  storedFrom: (Math.floor(Date.now() / dayMs) - 2) * dayMs,
  waitMs: 0,
  async *readEntries(from: number) {
    const events = logOf(id).map((text): UsageEvent => JSON.parse(text));
    yield events.filter(({ time }) => Date.parse(time) >= from);
  },
});
let accounts = 0;

/** Creates an account with an opening balance, three settled calls, a top-up, and one open call. */
async function bookedAccount(timeOf: (call: number) => string = () => new Date().toISOString()): Promise<string> {
  const id = `books-${accounts++}`;
  await createAccount(redis, { id, balance: 1_000n });
  for (const call of [1, 2, 3, 4]) {
    const callId = `${id}-${call}`;
    const draft = { ...testUsageDraft(id, callId), time: timeOf(call), requestId: `request-${call % 2}` };
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
    const settled = await settle(redis, { accountId: id, callId, costNanos: 70n, tokens: 0, draft });
    if (settled !== undefined) logOf(id).push(JSON.stringify(settled.event));
    await redis.del(accountKeys.outbox(/\{s(\d\d)\}/.exec(accountKeys.account(id))?.[1] ?? ""));
    if (call === 2) await credit(redis, { accountId: id, nanos: 500n, reason: "invoice 7", operationId: "seven" });
  }
  return id;
}

/** Replaces a call's event in the log by the result of `change`, or removes it. */
function tamper(id: string, call: number, change: (text: string) => string | undefined): void {
  const log = logOf(id);
  const changed = log.flatMap((text) => (text.includes(`"${id}-${call}"`) ? (change(text) ?? []) : [text]));
  log.splice(0, log.length, ...changed);
}

function rehash(text: string): string {
  const { costNanos, receipt, ...draft } = JSON.parse(text);
  const hash = createHash("sha1")
    .update([receipt.previous, receipt.number, `-${costNanos}`, receipt.balanceNanos, JSON.stringify(draft)].join("\n"))
    .digest("hex");
  return text.replace(receipt.hash, hash);
}

test("unmodified books are valid, also with open calls and unreadable events of other accounts", async () => {
  const id = await bookedAccount();
  await redis.xadd(accountKeys.outbox(shardOf(id)), "*", "task", '{"taskId":7}');
  expect(await verifyAccount(redis, id, optionsFor(id))).toEqual({
    account: id,
    ok: true,
    from: 1,
    to: 5,
    balanceNanos: 1_290n,
    head: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(await verifyAccount(redis, "absent", optionsFor("absent"))).toBeUndefined();
});

test.each<[string, (id: string) => unknown, object]>([
  [
    "a call's cost was altered in the log",
    (id) => tamper(id, 2, (text) => text.replace('"costNanos":"70"', '"costNanos":"60"')),
    { receipt: 3, message: expect.stringContaining("was altered") },
  ],
  [
    "a call's usage was altered",
    (id) => tamper(id, 1, (text) => text.replace('"model":"m"', '"model":"cheap"')),
    { receipt: 2, message: expect.stringContaining("was altered") },
  ],
  [
    "a call's usage was altered together with its hash",
    (id) => tamper(id, 1, (text) => rehash(text.replace('"model":"m"', '"model":"cheap"'))),
    { receipt: 3, message: "does not have the hash of the receipt before it" },
  ],
  [
    "a call's cost was altered together with its hash",
    (id) => tamper(id, 2, (text) => rehash(text.replace('"costNanos":"70"', '"costNanos":"60"'))),
    { receipt: 3, message: "has a balance of 860, but the earlier receipts add up to 870" },
  ],
  [
    "a call was inserted with another's number",
    (id) => logOf(id).push(logOf(id).at(-1)?.replace(`"${id}-3"`, '"none"') ?? ""),
    { receipt: 5, message: expect.stringContaining("has the same number as") },
  ],
  [
    "the newest call was altered together with its hash",
    (id) => tamper(id, 3, (text) => rehash(text.replace('"model":"m"', '"model":"cheap"'))),
    { receipt: 5, message: "is not the newest one that the account has" },
  ],
  [
    "an event is missing",
    (id) => tamper(id, 3, () => undefined),
    { receipt: 5, message: expect.stringContaining("is not in the books") },
  ],
  [
    "the reason of a credit was altered",
    async (id) => {
      const entry = (await redis.hget(accountKeys.credits(id), "seven")) ?? "";
      await redis.hset(accountKeys.credits(id), "seven", entry.replace("invoice 7", "invoice 8"));
    },
    { receipt: 4, entry: "seven", message: expect.stringContaining("was altered") },
  ],
  [
    "money was added to the account without a receipt",
    (id) => redis.hincrby(accountKeys.account(id), "available", 1_000_000),
    { message: expect.stringContaining("a balance of 1001290, but its receipts add up to 1290") },
  ],
  [
    "the account's total credits were raised",
    (id) => redis.hincrby(accountKeys.account(id), "credited", 7),
    { message: "the account has credits of 1507, but its receipts add up to 1500" },
  ],
  [
    "the account's total spending was reset",
    (id) => redis.hset(accountKeys.account(id), "spent", "0"),
    { message: expect.stringContaining("spending of 0, but its receipts add up to 210") },
  ],
  [
    "a hold was removed with its money",
    (id) => redis.del(accountKeys.hold(id, `${id}-4`)),
    { message: "the account holds 100, but its open calls hold 0" },
  ],
])("%s: the first divergence is named", async (_, harm, divergence) => {
  const id = await bookedAccount();
  await harm(id);
  expect(await verifyAccount(redis, id, optionsFor(id))).toMatchObject({ ok: false, divergence });
});

test("unpublished events are part of the books, and concurrent calls are not", async () => {
  const id = `busy-${accounts++}`;
  await createAccount(redis, { id, balance: 1_000_000n });
  const state = { on: true, at: 0 };
  const call = async (logged: boolean): Promise<void> => {
    const callId = `${id}-${state.at++}`;
    const draft = { ...testUsageDraft(id, callId), time: new Date().toISOString() };
    const promised = { nanos: 2n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000_000 };
    await hold(redis, { accountId: id, callId, draft, tokenId: "tok_1", ...promised });
    const settled = await settle(redis, { accountId: id, callId, costNanos: 1n, tokens: 0, draft });
    if (settled !== undefined && logged) logOf(id).push(JSON.stringify(settled.event));
  };
  await call(false);
  expect(await verifyAccount(redis, id, optionsFor(id))).toMatchObject({ ok: true, to: 2 });
  const going = Array.from({ length: 4 }, async () => {
    while (state.on) await call(true);
  });
  for (let at = 0; at < 20; at++)
    expect(await verifyAccount(redis, id, { ...optionsFor(id), waitMs: 5_000 })).toMatchObject({ ok: true });
  for (let at = 0; at < 5; at++)
    await credit(redis, { accountId: id, nanos: 1n, reason: "more", operationId: `${at}` });
  expect(await verifyAccount(redis, id, { ...optionsFor(id), waitMs: 5_000 })).toMatchObject({ ok: true });
  state.on = false;
  await Promise.all(going);
  expect(state.at).toBeGreaterThan(20);
});

test("books whose oldest days were deleted are valid, in any order of settlements around midnight", async () => {
  const [before, first] = [-2, -1].map((days) => new Date(Date.now() + days * dayMs).toISOString());
  // Calls 1, 2 and 3 have receipts 2, 3 and 5; receipts 1 and 4 are credits. The event of call 2 is one day older.
  const id = await bookedAccount((call) => (call === 2 ? before : first) ?? "");
  await redis.hset(accountKeys.account(id), "createdAt", "2026-01-01T00:00:00Z");
  expect(await verifyAccount(redis, id, optionsFor(id))).toMatchObject({ ok: true, from: 2, to: 5 });
  tamper(id, 2, () => undefined);
  expect(await verifyAccount(redis, id, optionsFor(id))).toMatchObject({ ok: false, divergence: { receipt: 3 } });
});

const anchorOf = async (id: string, more: object = {}) => {
  const verification = await verifyAccount(redis, id, optionsFor(id));
  const { to: number = 0, head = "", balanceNanos = 0n } = verification ?? {};
  const createdAt = (await findAccount(redis, id))?.createdAt ?? "";
  const time = "2026-11-24T00:00:00.000Z";
  return { number, head, balanceNanos: balanceNanos.toString(), createdAt, time, ...more };
};

test("deleted early calls are detected, regardless of the account's creation time in Redis", async () => {
  const id = await bookedAccount();
  const createdAt = (await findAccount(redis, id))?.createdAt ?? "";
  await redis.hset(accountKeys.account(id), "createdAt", "2020-01-01T00:00:00Z");
  tamper(id, 1, () => undefined);
  expect(await verifyAccount(redis, id, { ...optionsFor(id), createdAt })).toMatchObject({
    ok: false,
    divergence: { receipt: 2, message: expect.stringContaining("is not in the books") },
  });
});

test("an account without a stored receipt is valid only with an anchor that has its balance", async () => {
  const id = await bookedAccount();
  const anchor = await anchorOf(id, { createdAt: "2020-01-01T00:00:00Z" });
  for (const call of [1, 2, 3]) tamper(id, call, () => undefined);
  const options = { ...optionsFor(id), createdAt: "2020-01-01T00:00:00Z" };
  expect(await verifyAccount(redis, id, options)).toMatchObject({
    ok: false,
    divergence: { message: "none of its 5 receipts is stored, and its balance was not signed" },
  });
  expect(await verifyAccount(redis, id, { ...options, anchors: [anchor] })).toMatchObject({ ok: true });
  for (const other of [{ balanceNanos: "7" }, { number: 4, head: "" }])
    expect(await verifyAccount(redis, id, { ...options, anchors: [{ ...anchor, ...other }] })).toMatchObject({
      ok: false,
    });
});

test.each<[string, object, object]>([
  [
    "contains another receipt",
    { number: 3, head: "0".repeat(40) },
    { receipt: 3, message: expect.stringMatching(/^is not the head that was signed/) },
  ],
  ["ends before the anchor", { number: 9 }, { receipt: 5, message: expect.stringContaining("the end is missing") }],
  [
    "has another creation time",
    { createdAt: "2020-01-01T00:00:00Z" },
    { message: expect.stringContaining("was created at 2020") },
  ],
])("a chain that %s does not match an anchor", async (_, more, divergence) => {
  const id = await bookedAccount();
  const createdAt = (await findAccount(redis, id))?.createdAt ?? "";
  const options = { ...optionsFor(id), createdAt };
  expect(await verifyAccount(redis, id, { ...options, anchors: [await anchorOf(id)] })).toMatchObject({ ok: true });
  const anchor = await anchorOf(id, more);
  expect(await verifyAccount(redis, id, { ...options, anchors: [anchor] })).toMatchObject({ ok: false, divergence });
  // A missing receipt is not reported if Redis was replaced.
  const replaced = { ...options, anchors: [anchor], wasReplaced: async () => true };
  expect((await verifyAccount(redis, id, replaced))?.ok).toBe("head" in more);
});
