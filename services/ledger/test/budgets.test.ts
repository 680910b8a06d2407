import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accountKeys,
  appliedBudget,
  findBudgets,
  hold,
  publishEntries,
  readBudgetUsage,
  settle,
  type Budget,
  type HoldRequest,
} from "@modelgate/accounts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { createLogger, openBus, type Bus } from "@modelgate/platform";
import { testUsageDraft, startLocalBackends, startServiceAlone, until } from "@modelgate/testkit";
import type { AloneService, LocalBackends } from "@modelgate/testkit";

const secret = "a secret of the tests, long enough";
let backends: LocalBackends;
let redis: Redis;
let bus: Bus;
let ledger: AloneService;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
  bus = await openBus(backends.natsUrl, createLogger("test", "silent").log);
  const stores = { REDIS_URL: backends.redisUrl, NATS_URL: backends.natsUrl };
  ledger = await startServiceAlone(
    "ledger",
    { ...stores, MODELGATE_SECRET: secret, LOG_LEVEL: "info" },
    { ledger: { rounds: { roundMs: 100, afterOutageMs: 200, leftBehindMs: 200 } } },
  );
});
afterAll(async () => {
  await ledger?.[Symbol.asyncDispose]();
  redis?.disconnect();
  await bus?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});

async function ask(path: string, body?: object): Promise<{ readonly status: number; readonly data: unknown }> {
  const authorization = `Bearer ${signOperator(secret, Math.floor(Date.now() / 1_000) + 60)}`;
  const answer = await fetch(`${ledger.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization, connection: "close", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data, error }: { readonly data?: unknown; readonly error?: unknown } = JSON.parse(await answer.text());
  return { status: answer.status, data: data ?? error };
}

async function open(account: string): Promise<void> {
  await ask("/accounts", { id: account, name: account, balance: "1000000" });
}

function budgetOf(id: string, scope: string, more: Partial<Budget> = {}): Budget {
  const createdAt = new Date().toISOString();
  return { id, scope, period: "month", zone: "UTC", nanos: "100", mode: "hard", createdAt, ...more };
}
const create = (account: string, budget: Budget) => ask(`/accounts/${account}/budgets`, { budget });

function requestOf(accountId: string, callId: string, nanos: bigint, more: object = {}): HoldRequest {
  const draft = { ...testUsageDraft(accountId, callId), time: new Date().toISOString(), tokenId: "tok_1", ...more };
  const { tokenId } = draft;
  return { accountId, callId, draft, tokenId, nanos, floorNanos: 1n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000 };
}

/** Makes a call, and waits until the books have it. */
async function call(account: string, callId: string, costNanos: bigint, more: object = {}): Promise<void> {
  const request = requestOf(account, callId, costNanos, more);
  await hold(redis, request);
  const entry = await settle(redis, { accountId: account, callId, costNanos, tokens: 0, draft: request.draft });
  if (entry !== undefined) await publishEntries(redis, bus, [entry]);
  await until("the books to have the call", async () => {
    const { data } = await ask(`/usage/events?account=${account}`);
    return JSON.stringify(data).includes(`"${callId}"`);
  });
}

const used = async (account: string, budgets: readonly Budget[]) =>
  (
    await readBudgetUsage(
      redis,
      account,
      budgets.map((budget) => appliedBudget(budget, Date.now())),
    )
  ).map(({ usedNanos }) => usedNanos);

test("a new budget has the spending of its period, and a total budget starts at zero", async () => {
  await open("spender");
  await call("spender", "one", 30n, { model: "m", tags: { team: "red" } });
  await call("spender", "two", 40n, { model: "n", endUser: "ann", tokenId: "tok_2" });
  const budgets = [
    budgetOf("bud_all", "account"),
    budgetOf("bud_model", "model:m"),
    budgetOf("bud_tag", "tag:team=red"),
    budgetOf("bud_user", "end-user:ann"),
    budgetOf("bud_key", "key:tok_2"),
    budgetOf("bud_total", "account", { period: "total" }),
  ];
  for (const budget of budgets) expect(await create("spender", budget)).toMatchObject({ status: 200, data: budget });
  // The books do not have the key, so the budget includes none of its calls.
  expect(await used("spender", budgets)).toEqual([70n, 30n, 30n, 40n, 0n, 0n]);
  await expect(hold(redis, requestOf("spender", "three", 31n))).rejects.toThrow(/Budget bud_all\./);
});

test("a new budget counts the calls whose events have not reached the books", async () => {
  await open("hurried");
  const entries = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const request = requestOf("hurried", `hurried-${at}`, 2n);
      await hold(redis, request);
      const { callId, draft } = request;
      return settle(redis, { accountId: "hurried", callId, costNanos: 2n, tokens: 0, draft });
    }),
  );
  await publishEntries(
    redis,
    bus,
    entries.filter((entry) => entry !== undefined),
  );
  const budget = budgetOf("bud_hurried", "account", { nanos: "1000" });
  expect(await create("hurried", budget)).toMatchObject({ status: 200 });
  expect(await used("hurried", [budget])).toEqual([100n]);
});

test("a budget with the scope and period of another is refused; changes and deletion are in the audit", async () => {
  await open("twice");
  await create("twice", budgetOf("bud_1", "model:m"));
  const same = budgetOf("bud_2", "model:m", { zone: "Asia/Tokyo", mode: "soft" });
  expect(await create("twice", same)).toMatchObject({ status: 409, data: { param: "scope" } });
  expect(await create("twice", { ...same, period: "week" })).toMatchObject({ status: 200 });
  const change = (body: object) => ask("/accounts/twice/budgets/bud_2", { change: body });
  expect(await change({ nanos: "7", rolloverNanos: "3" })).toMatchObject({ status: 200, data: { nanos: "7" } });
  expect((await change({ rolloverNanos: null })).data).not.toHaveProperty("rolloverNanos");
  expect(await ask("/accounts/twice/budgets/bud_1/delete", {})).toMatchObject({ status: 200 });
  expect(await ask("/accounts/twice/budgets/bud_1/delete", {})).toMatchObject({ status: 404 });
  expect(await findBudgets(redis, "twice")).toMatchObject([{ id: "bud_2", nanos: "7" }]);
  const { data } = await ask("/audit?account=twice");
  const actions = JSON.stringify(data).match(/budget\.\w+/g);
  expect(actions?.toSorted()).toEqual(["create", "create", "delete", "set", "set"].map((verb) => `budget.${verb}`));
});

test("after the loss of Redis the budgets are restored with their spending", async () => {
  await open("lost");
  const budgets = [budgetOf("bud_all", "account"), budgetOf("bud_model", "model:m", { period: "total" })];
  for (const budget of budgets) await create("lost", budget);
  await call("lost", "first", 60n, { model: "m" });
  await call("lost", "second", 25n, { model: "n" });
  await redis.flushall();
  await until("the account to be restored", async () => (await findBudgets(redis, "lost")).length === 2);
  expect(await used("lost", budgets)).toEqual([85n, 60n]);
  await expect(hold(redis, requestOf("lost", "third", 16n, { model: "m" }))).rejects.toThrow(/Budget bud_all\./);
  await call("lost", "fourth", 15n, { model: "m" });
  expect(await used("lost", budgets)).toEqual([100n, 75n]);
});

describe("a budget of an organisation", () => {
  const accounts = ["org", "org~ads"];
  const shared = budgetOf("bud_shared", "organisation:org");
  const createTeam = (account: string, team = account) =>
    ask("/organisations/org/teams", { id: team, name: team, account });
  beforeAll(async () => {
    await ask("/organisations", { id: "org", name: "org" });
    for (const account of [...accounts, "apart"]) await open(account);
    for (const account of accounts) await createTeam(account);
  });

  test("begins with the calls of all accounts, is changed and deleted through each, and is in the audit of the organisation", async () => {
    await call("org", "org-1", 30n);
    await call("org~ads", "org-2", 20n);
    expect(await create("org~ads", shared)).toMatchObject({ status: 200, data: shared });
    for (const account of accounts) {
      expect(await findBudgets(redis, account)).toEqual([shared]);
      expect(await used(account, [shared])).toEqual([50n]);
    }
    await expect(hold(redis, requestOf("org", "org-3", 51n))).rejects.toThrow(
      /of the organisation org is .*bud_shared/,
    );
    const change = await ask("/accounts/org/budgets/bud_shared", { change: { nanos: "120" } });
    expect(change).toMatchObject({ status: 200, data: { id: "bud_shared", nanos: "120" } });
    await call("org~ads", "org-4", 60n);
    await expect(hold(redis, requestOf("org", "org-5", 11n))).rejects.toThrow(/bud_shared/);
    expect(await create("org", { ...shared, id: "bud_again" })).toMatchObject({
      status: 409,
      data: { param: "scope" },
    });
    const own = budgetOf("bud_own", "account", { period: "total" });
    await create("org", own);
    expect((await findBudgets(redis, "org")).map(({ id }) => id)).toEqual(["bud_shared", "bud_own"]);
    expect(await findBudgets(redis, "org~ads")).toMatchObject([{ id: "bud_shared" }]);
    const { data } = await ask("/audit?account=organisation:org");
    const actions = JSON.stringify(data).match(/budget\.\w+/g);
    expect(actions).toEqual(["budget.set", "budget.create"]);
  });

  test("is restored with the calls of all accounts after the loss of Redis", async () => {
    await redis.flushall();
    await until("the accounts to be restored", async () => {
      const lists = await Promise.all(accounts.map((account) => findBudgets(redis, account)));
      return lists.every((list) => list.length > 0);
    });
    for (const account of accounts) expect(await used(account, [shared])).toEqual([110n]);
    await expect(hold(redis, requestOf("org~ads", "org-6", 11n))).rejects.toThrow(/bud_shared/);
    await call("org~ads", "org-7", 10n);
    expect(await used("org", [shared])).toEqual([120n]);
  });

  test("keeps accounts of other shards out of the organisation; an account that leaves is free of it", async () => {
    expect(await createTeam("apart")).toMatchObject({ status: 409, data: { param: "account" } });
    await open("org~lab");
    expect(await createTeam("org~lab")).toMatchObject({ status: 200 });
    await expect(hold(redis, requestOf("org~lab", "org-8", 1n))).rejects.toThrow(/bud_shared/);
    await ask("/organisations/org/delete", { team: "org~lab", releaseAccount: true });
    expect(await findBudgets(redis, "org~lab")).toEqual([]);
    await call("org~lab", "org-9", 1_000n);
    expect(await used("org", [shared])).toEqual([120n]);
    expect(await ask("/accounts/org/budgets/bud_shared/delete", {})).toMatchObject({ status: 200 });
    for (const account of accounts)
      expect((await findBudgets(redis, account)).map(({ id }) => id)).not.toContain(shared.id);
    expect(await redis.exists(accountKeys.budgetsOfOrganisation("org", shared.scope))).toBe(0);
    expect(await createTeam("apart")).toMatchObject({ status: 200 });
    const refused = await create("org", shared);
    expect(refused).toMatchObject({ status: 409, data: { param: "scope" } });
    expect(JSON.stringify(refused.data)).toContain("gatectl account create apart~org");
  });

  test("has no spending in Redis after its last account has left; an account that joins brings its calls of the period", async () => {
    const budget = budgetOf("bud_solo", "organisation:solo", { nanos: "5000" });
    const join = (account: string, team: string) => ask("/organisations/solo/teams", { id: team, name: team, account });
    const leave = (team: string) => ask("/organisations/solo/delete", { team, releaseAccount: true });
    await ask("/organisations", { id: "solo", name: "solo" });
    for (const account of ["solo", "duo"]) await open(account);
    await join("solo", "first");
    await create("solo", budget);
    await call("solo", "solo-1", 30n);
    const hash = accountKeys.budgetsOfOrganisation("solo", budget.scope);
    expect(await redis.hkeys(hash)).toEqual([budget.id]);
    expect((await leave("first")).data).toEqual({ result: "deleted-with-account" });
    expect(await redis.exists(hash)).toBe(0);
    await call("duo", "duo-1", 400n);
    expect(await join("duo", "second")).toMatchObject({ status: 200 }); // on another shard
    expect(await used("duo", [budget])).toEqual([400n]);
    await leave("second");
    await join("solo", "third");
    expect(await used("solo", [budget])).toEqual([30n]);
    await ask("/organisations/solo/delete", { team: "third" });
    expect(await redis.exists(hash)).toBe(1); // an admin's deletion keeps the account in the organisation
    expect((await ask("/organisations/solo/delete", {})).data).toEqual({ result: "deleted" });
    expect(await redis.exists(hash)).toBe(0);
    expect(await findBudgets(redis, "solo")).toEqual([]);
  });
});
