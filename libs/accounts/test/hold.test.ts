import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Budgets } from "@modelgate/contracts";
import { testUsageDraft, type LocalBackends, startLocalBackends } from "@modelgate/testkit";
import {
  accountKeys,
  admit,
  createAccount,
  credit,
  extendHold,
  findAccount,
  hold,
  limitFailure,
  countOpenHolds,
  readUnpublished,
  releaseHold,
  renewHold,
  restoreAccount,
  setAccount,
  settle,
  shardOf,
  sweepHolds,
  type HoldRequest,
  writeEpoch,
} from "../src/index.ts";

let backends: LocalBackends;
let redis: Redis;
let id: string;
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
  id = `account-${count++}`;
  await createAccount(redis, { id, balance: 1_000n });
});

const timeMs = (time: string): number => Date.parse(`2026-${time}Z`);
async function placeHold(
  nanos: bigint,
  more: Partial<HoldRequest> & { readonly group?: string } = {},
): Promise<string> {
  const { group = "g", tokenId = "tok_1", ...rest } = more;
  const callId = rest.callId ?? `call-${count++}`;
  await hold(redis, {
    accountId: id,
    callId,
    nanos,
    floorNanos: 0n,
    draft: { ...testUsageDraft(id, callId), group, tokenId },
    tokenId,
    tokens: 0,
    leaseMs: 1_000,
    outboxBound: 100,
    ...rest,
  });
  return callId;
}
const end = (callId: string, costNanos: bigint, more: object = {}) =>
  settle(redis, { accountId: id, callId, costNanos, tokens: 0, draft: testUsageDraft(id, callId), ...more });
const account = () => findAccount(redis, id);

test("a disabled account admits and holds nothing, also once it was lost and restored, until it is enabled", async () => {
  const open = await placeHold(100n);
  await setAccount(redis, { id, name: "Acme", disabled: true, version: 2 });
  const call = { limitsId: "t", tokenId: "t", limits: {} };
  const admission = () => admit(redis, { ...call, accountId: id, seatId: "p", leaseMs: 1_000, needsBalance: true });
  const refusal = { code: "account_disabled", status: 403 };
  expect((await admission()).decision).toBe("disabled");
  expect(limitFailure(await admission(), call)).toMatchObject(refusal);
  await expect(placeHold(1n)).rejects.toMatchObject(refusal);
  await expect(placeHold(0n)).rejects.toMatchObject(refusal);
  // A call in progress may continue, unless `ifEnabled` is set.
  const extension = { accountId: id, callId: open, nanos: 10n };
  for (const nanos of [10n, 0n])
    await expect(extendHold(redis, { ...extension, nanos, ifEnabled: true })).rejects.toMatchObject(refusal);
  expect(await account()).toMatchObject({ heldNanos: 100n });
  expect(await extendHold(redis, extension)).toBe(true);
  await end(open, 40n);
  expect(await account()).toMatchObject({ name: "Acme", disabled: true, balanceNanos: 960n });
  // A late write of an earlier change does not enable it.
  await setAccount(redis, { id, name: "Late", disabled: false, version: 1 });
  expect(await account()).toMatchObject({ name: "Acme", disabled: true });

  await redis.del(accountKeys.account(id));
  await setAccount(redis, { id, name: "Acme", disabled: false, version: 9 });
  expect(await account()).toBeUndefined();
  const lost = { createdAt: "2026-01-01T00:00:00Z", balanceNanos: 960n, creditedNanos: 1_000n, receipts: 0, head: "" };
  await restoreAccount(redis, { id, name: "Acme", disabled: true, version: 2, ...lost, credits: [] });
  await expect(placeHold(1n)).rejects.toMatchObject(refusal);
  await setAccount(redis, { id, name: "Acme", disabled: false, version: 2 });
  expect((await admission()).decision).toBe("disabled");
  await setAccount(redis, { id, name: "Acme", disabled: false, version: 3 });
  expect((await admission()).decision).toBe("admitted");
  await placeHold(1n);
});

describe("a refused hold changes nothing", () => {
  test("a call that already has a hold", async () => {
    const callId = await placeHold(100n);
    await expect(placeHold(300n, { callId })).rejects.toThrow("already has a hold");
    expect(await account()).toMatchObject({ heldNanos: 100n, availableNanos: 900n });
  });

  test("a call of an unknown account", async () => {
    await expect(placeHold(0n, { accountId: "absent" })).rejects.toMatchObject({ code: "insufficient_quota" });
    expect(await findAccount(redis, "absent")).toBeUndefined();
  });

  test("an amount above the maximum", async () => {
    await expect(placeHold(10n ** 30n)).rejects.toMatchObject({ code: "insufficient_quota" });
    expect(await account()).toMatchObject({ heldNanos: 0n });
  });

  test("a call while too many events wait in its shard", async () => {
    const shard = shardOf(id);
    await redis.del(accountKeys.outbox(shard));
    for (let call = 0; call < 3; call++) await end(await placeHold(0n), 0n);
    await expect(placeHold(100n, { outboxBound: 3 })).rejects.toMatchObject({ code: "server_overloaded", status: 503 });
    expect(await account()).toMatchObject({ heldNanos: 0n });
    await placeHold(100n, { outboxBound: 4 });
  });

  test("an existing account is not created again", async () => {
    await end(await placeHold(100n), 100n);
    expect(await createAccount(redis, { id, balance: 5_000n })).toBe("exists");
    expect(await account()).toMatchObject({ balanceNanos: 900n, creditedNanos: 1_000n, spentNanos: 100n });
  });

  test("more credits than the maximum of an account, but for corrections", async () => {
    const fill = "for entry = 1, 100000 do redis.call('HSET', KEYS[1], entry, '{}') end";
    await redis.eval(fill, 1, accountKeys.credits(id));
    const topUp = { accountId: id, nanos: 1n, reason: "one more", operationId: "more" };
    expect(await credit(redis, topUp)).toBe("too-many");
    expect(await account()).toMatchObject({ availableNanos: 1_000n });
    expect(await credit(redis, { ...topUp, kind: "correction" })).toBe("credited");
  });
});

describe("a budget", () => {
  const noon = timeMs("03-10T12:00:00");
  test.each<
    [
      keyof Budgets,
      { readonly same: object; readonly other: object; readonly later: string; readonly next: string },
      RegExp,
    ]
  >([
    [
      "tokenPerDay",
      { same: { group: "h" }, other: { tokenId: "tok_2" }, later: "03-10T23:59:59", next: "03-11T00:00:00" },
      /budget of this key is .* per day/,
    ],
    [
      "tokenPerMonth",
      { same: { group: "h" }, other: { tokenId: "tok_2" }, later: "03-31T23:59:59", next: "04-01T00:00:00" },
      /budget of this key is .* per month/,
    ],
    [
      "groupPerDay",
      { same: { tokenId: "tok_2" }, other: { group: "h" }, later: "03-10T23:59:59", next: "03-11T00:00:00" },
      /account in this key's group is .* per day/,
    ],
    [
      "groupPerMonth",
      { same: { tokenId: "tok_2" }, other: { group: "h" }, later: "03-31T23:59:59", next: "04-01T00:00:00" },
      /account in this key's group is .* per month/,
    ],
  ])("%s applies separately, until its period ends", async (name, { same, other, later, next }, words) => {
    const budgets = { [name]: "100" };
    await placeHold(60n, { budgets, nowMs: noon });
    await expect(placeHold(41n, { budgets, nowMs: noon })).rejects.toMatchObject({ code: "insufficient_quota" });
    await expect(placeHold(41n, { budgets, nowMs: timeMs(later), ...same })).rejects.toThrow(words);
    await placeHold(41n, { budgets, nowMs: noon, ...other });
    await placeHold(40n, { budgets, nowMs: timeMs(later), ...same });
    await placeHold(100n, { budgets, nowMs: timeMs(next) });
  });

  test("of a key that others share is used up by all of them, each also limited by its own budget", async () => {
    const within = { within: "tok_1", withinPerDay: "100" };
    await placeHold(60n, { tokenId: "tok_2", budgets: { tokenPerDay: "60", ...within } });
    await expect(placeHold(41n, { tokenId: "tok_3", budgets: within })).rejects.toThrow(
      /this key and the other keys that share its limit is \$0\.0000001 per day/,
    );
    await expect(placeHold(41n, { budgets: { tokenPerDay: "100" } })).rejects.toThrow(/budget of this key is/);
    await expect(placeHold(1n, { tokenId: "tok_2", budgets: { tokenPerDay: "60", ...within } })).rejects.toThrow(
      /budget of this key is/,
    );
    await placeHold(40n, { tokenId: "tok_3", budgets: within });
    await expect(placeHold(1n, { budgets: { tokenPerDay: "100" } })).rejects.toMatchObject({ status: 402 });
  });

  test("is reported with its amount if it is too small; the other budgets are unchanged", async () => {
    const budgets = { tokenPerDay: "100", tokenPerMonth: "2000000000", groupPerDay: "300", groupPerMonth: "50" };
    await expect(placeHold(60n, { budgets })).rejects.toThrow(/group is \$0\.00000005 per month/);
    await expect(placeHold(60n, { budgets: { groupPerMonth: "50" } })).rejects.toThrow(
      /group is \$0\.00000005 per month/,
    );
    await placeHold(100n, { budgets: { ...budgets, groupPerMonth: "1000" } });
    await expect(placeHold(1n, { budgets: { tokenPerDay: "100" } })).rejects.toThrow(/key is \$0\.0000001 per day/);
  });

  test("is used up by the cost of a call, not by its hold", async () => {
    const budgets = { tokenPerDay: "100" };
    await end(await placeHold(90n, { budgets }), 20n);
    await releaseHold(redis, { accountId: id, callId: await placeHold(80n, { budgets }) });
    await placeHold(80n, { budgets });
    await expect(placeHold(1n, { budgets })).rejects.toMatchObject({ status: 402 });
  });

  test("keeps the part of an extension that the balance could not cover", async () => {
    const budgets = { tokenPerDay: "2000" };
    const callId = await placeHold(900n, { budgets });
    await expect(extendHold(redis, { accountId: id, callId, nanos: 500n })).rejects.toMatchObject({ status: 402 });
    await credit(redis, { accountId: id, nanos: 5_000n, reason: "more", operationId: "more" });
    expect(await extendHold(redis, { accountId: id, callId, nanos: 1_100n })).toBe(true);
    await expect(extendHold(redis, { accountId: id, callId, nanos: 1n })).rejects.toMatchObject({ status: 402 });
  });

  test("counts a call in the period of its hold, and a removed budget is not counted again", async () => {
    const budgets = { tokenPerDay: "100" };
    const [today, next] = [timeMs("03-10T12:00:00"), timeMs("03-11T12:00:00")];
    const first = await placeHold(90n, { budgets, nowMs: today });
    await placeHold(100n, { budgets, nowMs: next });
    await end(first, 50n);
    await expect(placeHold(1n, { budgets, nowMs: next })).rejects.toMatchObject({ status: 402 });
    await expect(placeHold(51n, { budgets, nowMs: today })).rejects.toMatchObject({ status: 402 });
    await placeHold(50n, { budgets, nowMs: today });
    const removed = await placeHold(0n, { budgets, nowMs: timeMs("03-12T12:00:00") });
    await redis.del(accountKeys.budgets(id));
    await end(removed, 10n);
    expect(await redis.exists(accountKeys.budgets(id))).toBe(0);
  });
});

describe("a hold", () => {
  test("of tokens is refilled with the minute, and returned when its hold is released", async () => {
    const limited = { tokensPerMinute: 600, tokens: 500 };
    const readRemaining = async () => {
      const admission = {
        accountId: id,
        limitsId: "tok_1",
        tokenId: "tok_1",
        seatId: "p",
        needsBalance: true,
        leaseMs: 1_000,
      };
      return (await admit(redis, { ...admission, limits: { tokensPerMinute: 600 }, nowMs: timeMs("03-10T12:00:30") }))
        .tokens?.remaining;
    };
    await placeHold(0n, { ...limited, nowMs: timeMs("03-10T12:00:00") });
    await expect(placeHold(0n, { ...limited, nowMs: timeMs("03-10T12:00:20") })).rejects.toMatchObject({ status: 429 });
    const callId = await placeHold(0n, { ...limited, tokens: 400, nowMs: timeMs("03-10T12:00:30") });
    expect(await readRemaining()).toBe(0);
    await releaseHold(redis, { accountId: id, callId });
    expect(await readRemaining()).toBe(400);
  });

  test("that was released is not open", async () => {
    const before = await countOpenHolds(redis, shardOf(id));
    const callId = await placeHold(10n);
    expect(await countOpenHolds(redis, shardOf(id))).toBe(before + 1);
    await releaseHold(redis, { accountId: id, callId });
    expect(await countOpenHolds(redis, shardOf(id))).toBe(before);
  });

  test("whose lease has not expired is settled by its service only", async () => {
    const nowMs = timeMs("03-10T12:00:00");
    const callId = await placeHold(100n, { leaseMs: 1_000, nowMs });
    await renewHold(redis, { accountId: id, callId, leaseMs: 1_000, nowMs: nowMs + 900 });
    expect(await end(callId, 10n, { onlyIfExpired: true, nowMs: nowMs + 1_800 })).toBeUndefined();
    expect(await account()).toMatchObject({ heldNanos: 100n });
    expect(await end(callId, 10n, { onlyIfExpired: true, nowMs: nowMs + 1_900 })).toBeDefined();
  });

  test("whose service died is settled at the floor of its last renewal; an incomplete one is removed", async () => {
    const nowMs = timeMs("03-10T12:00:00");
    const shard = shardOf(id);
    await redis.del(accountKeys.outbox(shard), accountKeys.holds(shard));
    const callId = await placeHold(100n, { nowMs });
    const draft = { ...testUsageDraft(id, callId), units: { outputTokens: 7 } };
    await renewHold(redis, { accountId: id, callId, leaseMs: 1_000, floorNanos: 30n, draft, nowMs });
    await redis.zadd(accountKeys.holds(shard), nowMs, "broken");
    await sweepHolds(redis, shard, 10, { nowMs: nowMs + 2_000 });
    const [entry, ...others] = await readUnpublished(redis, shard, 0, 10);
    expect(others).toEqual([]);
    expect(entry?.event).toMatchObject({ id: callId, costNanos: "30", units: { outputTokens: 7 }, outcome: "failed" });
    expect(await countOpenHolds(redis, shard)).toBe(0);
  });
});
