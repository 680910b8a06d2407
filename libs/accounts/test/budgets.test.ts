import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testUsageDraft, startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import {
  accountKeys,
  appliedBudget,
  budgetsWithoutState,
  budgetVersionOf,
  chargeLost,
  createAccount,
  deleteOrganisationBudget,
  extendHold,
  hold,
  makeToken,
  newKey,
  writeBudgetsToRedis,
  writeTokenToRedis,
  readBudgetUsage,
  readRemainingMoney,
  releaseHold,
  restoreAccount,
  settle,
  writeEpoch,
  type Budget,
  type BudgetState,
  type HoldRequest,
} from "../src/index.ts";

let backends: LocalBackends;
let redis: Redis;
let id: string;
let count = 0;
let version = 0;
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
  await createAccount(redis, { id, balance: 1_000_000n });
});

const timeMs = (time: string): number => Date.parse(`2026-${time}Z`);
const noon = timeMs("03-10T12:00:00");

function budget(scope: string, more: Partial<Budget> = {}): Budget {
  const createdAt = "2026-01-01T00:00:00Z";
  return { id: `bud_${count++}`, scope, period: "month", zone: "UTC", nanos: "100", mode: "hard", createdAt, ...more };
}
const put = (budgets: readonly Budget[], states = new Map<string, BudgetState>()) =>
  writeBudgetsToRedis(redis, id, { version: ++version, budgets }, states);

async function placeHold(nanos: bigint, call: object = {}, more: Partial<HoldRequest> = {}): Promise<string> {
  const callId = `call-${count++}`;
  const draft = { ...testUsageDraft(id, callId), tokenId: "tok_1", group: "g", model: "m", ...call };
  await hold(redis, {
    accountId: id,
    callId,
    nanos,
    floorNanos: 0n,
    draft,
    tokenId: draft.tokenId,
    tokens: 0,
    leaseMs: 1_000,
    outboxBound: 1_000,
    nowMs: noon,
    ...more,
  });
  return callId;
}
const end = (callId: string, costNanos: bigint) =>
  settle(redis, { accountId: id, callId, costNanos, tokens: 0, draft: testUsageDraft(id, callId) });
const used = async (budgets: readonly Budget[], nowMs = noon) =>
  (
    await readBudgetUsage(
      redis,
      id,
      budgets.map((each) => appliedBudget(each, nowMs)),
    )
  ).map(({ usedNanos }) => usedNanos);
const refused = { code: "insufficient_quota", status: 402 };

describe("a budget applies to the calls of its scope", () => {
  test.each([
    ["account", {}, undefined],
    ["key:tok_1", {}, { tokenId: "tok_2" }],
    ["group:g", { tokenId: "tok_2" }, { group: "h" }],
    ["model:m", { tokenId: "tok_2" }, { model: "n" }],
    ["tag:team=red", { tags: { team: "red", feature: "chat" } }, { tags: { team: "blue" } }],
    ["end-user:ann", { endUser: "ann" }, { endUser: "bob" }],
  ])("%s", async (scope, inside, outside) => {
    const one = budget(scope);
    await put([one]);
    await placeHold(60n, inside);
    await expect(placeHold(41n, inside)).rejects.toMatchObject(refused);
    if (outside !== undefined) await placeHold(1_000n, outside);
    await end(await placeHold(40n, inside), 10n);
    expect(await used([one])).toEqual([70n]);
  });

  test("of a key whose limits another key shares", async () => {
    await put([budget("key:tok_1")]);
    await placeHold(60n, { tokenId: "tok_2" }, { budgets: { within: "tok_1", withinPerDay: "1000" } });
    await expect(placeHold(41n)).rejects.toMatchObject(refused);
  });
});

describe("a call that a budget does not cover", () => {
  test.each<readonly [string, object, string]>([
    ["team:search", { team: "search" }, "the team search"],
    ["member:search/ada", { team: "search", member: "search/ada" }, "the member ada of the team search"],
    ["member:ada", { member: "ada" }, "the member ada"],
    ["end-user:ann", { endUser: "ann" }, "the end user ann"],
    ["model:m", {}, "this account with the model m"],
  ])("is refused with the owner of the budget: %s", async (scope, call, owner) => {
    await put([budget(scope)]);
    await expect(placeHold(101n, call)).rejects.toThrow(`The budget of ${owner} is `);
  });

  test("is refused with the budget, its amount, the remaining amount and the time of its reset", async () => {
    const monthly = budget("tag:team=red", { name: "Red team", nanos: "1500000000", zone: "Europe/Berlin" });
    await put([monthly]);
    const call = { tags: { team: "red" } };
    await end(await placeHold(1_000n, call), 1_000n);
    await expect(placeHold(1_500_000_000n, call, { nowMs: noon })).rejects.toThrow(
      "The budget of this account's calls with the tag team=red is $1.50 per month, and the remaining $1.499999 does not cover " +
        `this call of m; it resets at 2026-03-31T22:00:00Z (midnight in Europe/Berlin). Budget ${monthly.id}, "Red team".`,
    );
    await expect(placeHold(1_500_000_000n, call)).rejects.toMatchObject({
      ...refused,
      remainingNanos: 999_000n,
      budget: monthly.id,
    });
  });

  test("uses nothing of the other budgets", async () => {
    const budgets = [budget("account", { nanos: "1000" }), budget("model:m"), budget("key:tok_1", { nanos: "50" })];
    await put(budgets);
    await expect(placeHold(51n)).rejects.toThrow(/^The budget of this key is/);
    expect(await used(budgets)).toEqual([0n, 0n, 0n]);
    await placeHold(50n);
    expect(await used(budgets)).toEqual([50n, 50n, 50n]);
  });

  test("is refused with the smallest remaining amount of any hard budget and the account", async () => {
    await put([
      budget("account", { nanos: "400" }),
      budget("model:m", { nanos: "90" }),
      budget("key:tok_1", { nanos: "70" }),
      budget("group:g", { nanos: "20", mode: "soft" }),
    ]);
    await placeHold(10n);
    await expect(placeHold(401n)).rejects.toMatchObject({ ...refused, remainingNanos: 60n });
    await expect(placeHold(401n)).rejects.toThrow(
      /^The budget of this account is .* and the remaining \$0.00000039 does/,
    );
    await placeHold(60n);
    await put([budget("account", { nanos: "2000000" })]);
    await expect(placeHold(2_000_001n)).rejects.toMatchObject({ ...refused, remainingNanos: 1_000_000n - 70n });
  });

  test("of zero cost is not refused", async () => {
    await put([budget("account", { nanos: "0" })]);
    await placeHold(0n);
    await expect(placeHold(1n)).rejects.toMatchObject(refused);
  });
});

test("a soft budget counts and never refuses, also when a hold is extended", async () => {
  const soft = budget("account", { mode: "soft" });
  await put([soft]);
  const callId = await placeHold(150n);
  expect(await extendHold(redis, { accountId: id, callId, nanos: 50n })).toBe(true);
  expect(await used([soft])).toEqual([200n]);
  await end(callId, 170n);
  expect(await used([soft])).toEqual([170n]);
});

test("the extension of a hold stays within all hard budgets", async () => {
  const budgets = [budget("account"), budget("key:tok_1", { nanos: "80" })];
  await put(budgets);
  const callId = await placeHold(60n);
  await expect(extendHold(redis, { accountId: id, callId, nanos: 21n })).rejects.toMatchObject(refused);
  expect(await extendHold(redis, { accountId: id, callId, nanos: 20n })).toBe(true);
  expect(await used(budgets)).toEqual([80n, 80n]);
  await releaseHold(redis, { accountId: id, callId });
  expect(await used(budgets)).toEqual([0n, 0n]);
});

describe("unspent money rolls over to the next period", () => {
  const days = (rolloverNanos: string) => budget("account", { period: "day", rolloverNanos });
  const day = (date: number) => ({ nowMs: timeMs(`03-${date}T12:00:00`) });

  test("up to the maximum", async () => {
    await put([days("30")]);
    await end(await placeHold(90n, {}, day(10)), 20n);
    await expect(placeHold(131n, {}, day(11))).rejects.toMatchObject(refused);
    await placeHold(130n, {}, day(11));
    await expect(placeHold(101n, {}, day(12))).rejects.toMatchObject(refused);
    await placeHold(100n, {}, day(12));
  });

  test("also for days without calls", async () => {
    await put([days("250")]);
    await placeHold(90n, {}, day(10));
    await expect(placeHold(311n, {}, day(13))).rejects.toMatchObject(refused);
    await placeHold(310n, {}, day(13)); // 10 of the 10th, 100 of the 11th and of the 12th, 100 of the 13th
  });

  test("as soon as a call of the previous period has ended", async () => {
    await put([days("100")]);
    const late = await placeHold(90n, {}, day(10));
    await expect(placeHold(111n, {}, day(11))).rejects.toMatchObject(refused);
    await placeHold(60n, {}, day(11));
    await end(late, 20n);
    await expect(placeHold(121n, {}, day(11))).rejects.toMatchObject(refused);
    await placeHold(120n, {}, day(11));
  });

  test("unless the next period has already spent it", async () => {
    await put([days("100")]);
    const late = await placeHold(50n, {}, day(10));
    await placeHold(140n, {}, day(11));
    await expect(extendHold(redis, { accountId: id, callId: late, nanos: 11n })).rejects.toMatchObject(refused);
    expect(await extendHold(redis, { accountId: id, callId: late, nanos: 10n })).toBe(true);
  });

  test("only if the budget has a rollover", async () => {
    await put([budget("account", { period: "day" })]);
    await placeHold(10n, {}, day(10));
    await expect(placeHold(101n, {}, day(11))).rejects.toMatchObject(refused);
  });
});

describe("a change of the budgets", () => {
  test("applies to the next call", async () => {
    const one = budget("account");
    await put([one]);
    await placeHold(100n);
    await put([{ ...one, nanos: "150" }]);
    await placeHold(50n);
    await expect(placeHold(1n)).rejects.toMatchObject(refused);
    await put([]);
    await placeHold(1_000n);
    expect(await redis.hlen(accountKeys.budgets(id))).toBe(0);
  });

  test("does not bring a deleted budget back when a hold is extended", async () => {
    const budgets = [budget("account"), budget("model:m")];
    await put(budgets);
    const callId = await placeHold(60n);
    await put(budgets.slice(0, 1));
    expect(await extendHold(redis, { accountId: id, callId, nanos: 10n })).toBe(true);
    expect(await redis.hkeys(accountKeys.budgets(id))).toEqual([budgets[0]?.id]);
    expect(await used(budgets.slice(0, 1))).toEqual([70n]);
    await put([]);
    expect(await extendHold(redis, { accountId: id, callId, nanos: 1_000n })).toBe(true);
  });

  test("of an earlier version is not written, and an unknown account gets none", async () => {
    const one = budget("account");
    await put([one]);
    const list = { version: 1, budgets: [] };
    expect(await writeBudgetsToRedis(redis, id, list, new Map())).toBe("newer");
    expect(await budgetVersionOf(redis, id)).toBe(version);
    expect(await writeBudgetsToRedis(redis, "absent", list, new Map())).toBe("no-account");
    expect(await redis.exists(accountKeys.account("absent"))).toBe(0);
  });

  test("gives a new budget the spending in the books, and leaves that of an existing one", async () => {
    const [known, fresh] = [budget("account"), budget("model:m", { rolloverNanos: "50" })];
    await put([known]);
    await placeHold(30n);
    expect(await budgetsWithoutState(redis, id, [known, fresh])).toEqual([fresh]);
    const period = appliedBudget(fresh, noon).period.number;
    const state = { period, spentNanos: 90n, leftBefore: 20n };
    await put([known, fresh], new Map([known, fresh].map((each) => [each.id, state])));
    expect(await used([known, fresh])).toEqual([30n, 90n]);
    await expect(placeHold(31n)).rejects.toThrow(/with the model m/);
    await placeHold(30n);
  });
});

test("the spending of a key per day and month is deleted with the key", async () => {
  const budgets = { tokenPerDay: "100", tokenPerMonth: "100", groupPerDay: "100" };
  const { digest, token } = makeToken(newKey(), { accountId: id, group: "g" });
  for (const tokenId of [token.id, "tok_2"]) await placeHold(10n, { tokenId }, { budgets });
  const states = ["day:group:g", "day:key:tok_2", "month:key:tok_2"];
  const storedBudgets = async () => (await redis.hkeys(accountKeys.budgets(id))).toSorted();
  expect(await storedBudgets()).toEqual([...states, `day:key:${token.id}`, `month:key:${token.id}`].toSorted());
  await writeTokenToRedis(redis, digest, { ...token, version: 2, deletedAt: new Date().toISOString() });
  expect(await storedBudgets()).toEqual(states);
});

test("a call that is charged again after the loss of Redis counts, even beyond the budget", async () => {
  const one = budget("account", { period: "total" });
  await put([one]);
  const draft = { ...testUsageDraft(id, "lost"), time: new Date(noon).toISOString() };
  expect(await chargeLost(redis, { draft, costNanos: 120n, replaces: "hash" })).toBeDefined();
  expect(await chargeLost(redis, { draft, costNanos: 120n, replaces: "hash" })).toBeUndefined();
  expect(await used([one])).toEqual([120n]);
  await expect(placeHold(1n)).rejects.toThrow(
    /is .* in total, and the remaining \$0.00 does not cover .* it does not reset/,
  );
});

test("a call of a member's key that is charged again counts in the budget of the operator's key", async () => {
  const one = budget("key:tok_operator");
  await put([one]);
  const { digest, token } = makeToken(newKey(), { accountId: id, group: "g" });
  await writeTokenToRedis(redis, digest, { ...token, ofMember: true, within: { id: "tok_operator", perDay: "1000" } });
  const draft = { ...testUsageDraft(id, "lost"), tokenId: token.id, time: new Date(noon).toISOString() };
  await chargeLost(redis, { draft, costNanos: 40n, replaces: "hash" });
  expect(await used([one])).toEqual([40n]);
});

test("a restored account has its budgets immediately; calls that their spending includes are not counted again", async () => {
  id = `restored-${count++}`;
  const one = budget("account");
  const states = new Map([[one.id, { period: appliedBudget(one, noon).period.number, spentNanos: 90n }]]);
  const money = { balanceNanos: 1_000n, creditedNanos: 1_000n, receipts: 0, head: "", credits: [] };
  const budgets = { version: 3, budgets: [one], states, counted: ["hash-1"] };
  const state = { id, name: id, disabled: false, version: 0 };
  const lost = { ...state, createdAt: "2026-01-01T00:00:00Z", ...money, budgets };
  expect(await restoreAccount(redis, lost)).toBe(true);
  expect(await budgetVersionOf(redis, id)).toBe(3);
  await expect(placeHold(11n)).rejects.toMatchObject(refused);
  const draft = (callId: string) => ({ ...testUsageDraft(id, callId), time: new Date(noon).toISOString() });
  await chargeLost(redis, { draft: draft("call-1"), costNanos: 30n, replaces: "hash-1" });
  expect(await used([one])).toEqual([90n]);
  await chargeLost(redis, { draft: draft("call-2"), costNanos: 5n, replaces: "hash-2" });
  expect(await used([one])).toEqual([95n]);
  expect(await restoreAccount(redis, lost)).toBe(false);
  expect(await used([one])).toEqual([95n]);
});

test("the remaining money of a key is limited by the hard budgets of all its calls", async () => {
  await put([
    budget("account", { nanos: "500" }),
    budget("key:tok_1", { nanos: "300" }),
    budget("group:g", { nanos: "10", mode: "soft" }),
    budget("model:m", { nanos: "10" }),
  ]);
  await placeHold(100n, { model: "n" });
  const scope = { accountId: id, tokenId: "tok_1", group: "g", nowMs: noon };
  expect(await readRemainingMoney(redis, scope)).toMatchObject({ remainingNanos: 200n });
  expect(await readRemainingMoney(redis, { ...scope, tokenId: "tok_2" })).toMatchObject({ remainingNanos: 400n });
});

describe("a budget of an organisation", () => {
  /** Creates accounts of an organisation that share its budgets. Returns their ids. */
  async function join(budgets: readonly Budget[], own: readonly Budget[] = []): Promise<readonly [string, string]> {
    const accounts = [`org-${count++}`, `org-${count - 1}~ads`] as const;
    for (id of accounts) {
      await createAccount(redis, { id, balance: 10n ** 12n });
      await put([...budgets, ...own]);
    }
    return accounts;
  }
  const leave = async (account: string) => {
    id = account;
    await put([]);
  };

  test("counts the calls of all its accounts, in the same step as their own budgets", async () => {
    const [shared, own] = [budget("organisation:acme", { name: "Acme" }), budget("account", { nanos: "90" })];
    const [search, ads] = await join([shared], [own]);
    id = search;
    await end(await placeHold(50n), 40n);
    const open = await placeHold(20n);
    id = ads;
    await expect(placeHold(41n)).rejects.toThrow(
      `The budget of the organisation acme is $0.0000001 per month, and the remaining $0.00000004 does not cover this call of m; it resets at 2026-04-01T00:00:00Z. Budget ${shared.id}, "Acme".`,
    );
    expect(await used([shared, own])).toEqual([60n, 0n]);
    const call = await placeHold(10n);
    expect(await extendHold(redis, { accountId: ads, callId: call, nanos: 30n })).toBe(true);
    await expect(extendHold(redis, { accountId: ads, callId: call, nanos: 1n })).rejects.toMatchObject(refused);
    await releaseHold(redis, { accountId: search, callId: open });
    expect(await used([shared, own])).toEqual([80n, 40n]);
    id = search;
    expect(await used([shared, own])).toEqual([80n, 40n]);
    const scope = { accountId: search, tokenId: "tok_1", group: "g", nowMs: noon };
    expect(await readRemainingMoney(redis, scope)).toMatchObject({ remainingNanos: 20n });
    const draft = { ...testUsageDraft(search, "lost"), time: new Date(noon).toISOString() };
    await chargeLost(redis, { draft, costNanos: 25n, replaces: "hash" });
    id = ads;
    expect(await used([shared, own])).toEqual([105n, 40n]);
  });

  test("keeps its spending while an account leaves and joins, and loses it when it is deleted", async () => {
    const shared = budget("organisation:acme");
    const [search, ads] = await join([shared]);
    id = search;
    await placeHold(70n);
    const late = await placeHold(10n);
    await leave(search);
    await placeHold(1_000n);
    await end(late, 5n);
    id = ads;
    expect(await used([shared])).toEqual([75n]);
    id = search;
    expect(await budgetsWithoutState(redis, search, [shared])).toEqual([]);
    await put([shared], new Map([[shared.id, { period: 1, spentNanos: 0n }]]));
    expect(await used([shared])).toEqual([75n]);
    for (const account of [search, ads]) await leave(account);
    await deleteOrganisationBudget(redis, ads, shared);
    expect(await redis.exists(accountKeys.budgetsOfOrganisation(ads, shared.scope))).toBe(0);
    expect(await budgetsWithoutState(redis, search, [shared])).toEqual([shared]);
  });

  test("is restored once, with the first of its accounts", async () => {
    const [shared, own] = [budget("organisation:acme"), budget("account")];
    const period = appliedBudget(shared, noon).period.number;
    const accounts = [`back-${count++}`, `back-${count - 1}~ads`] as const;
    const restore = (account: string, spentNanos: bigint) =>
      restoreAccount(redis, {
        id: account,
        name: account,
        disabled: false,
        version: 0,
        createdAt: "2026-01-01T00:00:00Z",
        balanceNanos: 1_000n,
        creditedNanos: 1_000n,
        receipts: 0,
        head: "",
        credits: [],
        budgets: {
          version: 1,
          budgets: [shared, own],
          states: new Map([shared, own].map((each) => [each.id, { period, spentNanos }])),
          counted: [],
        },
      });
    await restore(accounts[0], 30n);
    id = accounts[0];
    await placeHold(20n);
    await restore(accounts[1], 30n);
    id = accounts[1];
    expect(await used([shared, own])).toEqual([50n, 30n]);
    await expect(placeHold(51n)).rejects.toThrow(/^The budget of the organisation acme is/);
  });
});

test("five hundred concurrent calls on the last dollar of an organisation, its teams and keys use exactly the remaining amount", async () => {
  const connections = Array.from({ length: 5 }, () => new Redis(backends.redisUrl));
  const shared = budget("organisation:acme", { nanos: "1000000000", period: "total" });
  // The second account has a team whose budget is used up before that of the organisation.
  const accounts = ["race", "race~ads"].map((account, at) => ({
    account,
    spent: 0n,
    own: [
      budget("team:search", { nanos: at === 0 ? "999000000" : "300000000", zone: "Asia/Kolkata" }),
      budget("key:tok_1", { nanos: at === 0 ? "998000000" : "299000000", period: "day", zone: "America/New_York" }),
    ],
  }));
  for (const { account, own } of accounts) {
    id = account;
    await createAccount(redis, { id, balance: 10n ** 12n });
    await put([shared, ...own]);
  }
  const cost = 7_000_000n;
  const ofTeam = { team: "search" };
  const outcomes = await Promise.all(
    Array.from({ length: 500 }, async (_, call) => {
      const payer = accounts[call % 2] ?? { account: "", spent: 0n };
      const [accountId, callId] = [payer.account, `race-${call}`];
      const draft = { ...testUsageDraft(accountId, callId), tokenId: "tok_1", group: "g", model: "m", ...ofTeam };
      const connection = connections[call % connections.length] ?? redis;
      const request = { accountId, callId, nanos: cost, floorNanos: 0n, draft, tokenId: "tok_1", tokens: 0 };
      const passed = await hold(connection, { ...request, leaseMs: 60_000, outboxBound: 10_000, nowMs: noon }).catch(
        (error: unknown) => error,
      );
      if (passed !== undefined) return passed;
      if (call % 3 === 0) return (await releaseHold(connection, { accountId, callId })) ? 0n : undefined;
      const costNanos = call % 3 === 1 ? cost : cost / 2n;
      await settle(connection, { accountId, callId, costNanos, tokens: 0, draft });
      payer.spent += costNanos;
      return costNanos;
    }),
  );
  const spent = outcomes.reduce((sum: bigint, outcome) => (typeof outcome === "bigint" ? sum + outcome : sum), 0n);
  const refusals = outcomes.filter((outcome) => typeof outcome !== "bigint");
  for (const refusal of refusals) expect(refusal).toMatchObject(refused);
  expect(refusals.length).toBeGreaterThan(0);
  for (const payer of accounts) {
    id = payer.account;
    expect(await used([shared, ...payer.own])).toEqual([spent, payer.spent, payer.spent]);
    expect(payer.spent).toBeGreaterThan(0n);
  }
  expect(accounts[1]?.spent).toBeLessThanOrEqual(299_000_000n);
  let remainingNanos = 1_000_000_000n - spent;
  expect(remainingNanos >= 0n).toBe(true);
  id = "race";
  for (; remainingNanos >= cost; remainingNanos -= cost) await placeHold(cost, ofTeam);
  await expect(placeHold(remainingNanos + 1n, ofTeam)).rejects.toThrow(/^The budget of the organisation acme is/);
  await placeHold(remainingNanos, ofTeam);
  expect(await used([shared])).toEqual([1_000_000_000n]);
  for (const connection of connections) connection.disconnect();
});
