import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { appliedBudget, createAccount, findBudgets, readBudgetUsage, shardOf, type Budget } from "@modelgate/accounts";
import {
  bookAccount,
  bookOrganisation,
  bookTeam,
  changeOrganisationBudgets,
  recordCalls,
  type Books,
} from "@modelgate/books";
import { createLogger, openBus, type Bus } from "@modelgate/platform";
import { startLocalBackends, testUsageDraft, type LocalBackends } from "@modelgate/testkit";
import { computeAllSpending } from "../src/accounts/budget-spending.ts";
import { organisationRoutes } from "../src/api/organisations.ts";
import type { BooksConnection } from "../src/books-connection.ts";
import { restoreAllAccounts } from "../src/restore/restore-accounts.ts";
import { newBooks } from "./engines.ts";

const { log } = createLogger("test", "silent");
const accounts = ["labs", "labs~ads", "labs~search"];
const createdAt = new Date().toISOString();
const budget: Budget = {
  id: "bud_1",
  scope: "organisation:labs",
  period: "month",
  zone: "UTC",
  nanos: "1000",
  mode: "hard",
  createdAt,
};
let backends: LocalBackends;
let redis: Redis;
let bus: Bus;
let books: Books;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
  bus = await openBus(backends.natsUrl, log);
});
afterAll(async () => {
  redis?.disconnect();
  await bus?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await redis.flushall();
  books = await newBooks({ kind: "sqlite" });
  await bookOrganisation(books, { id: "labs", name: "labs" }, "ada");
  for (const id of accounts) {
    await bookAccount(books, { id, name: id, createdAt }, "ada");
    await bookTeam(books, { organisation: "labs", id, name: id, account: id }, "ada", shardOf);
  }
});
afterEach(async () => {
  await books[Symbol.asyncDispose]();
});

const addBudget = () =>
  changeOrganisationBudgets(books, "labs", "ada", () => ({
    record: JSON.stringify([budget]),
    action: "budget.create",
    after: budget,
  }));

test("the spending of an organisation is read once for all of its accounts that are restored", async () => {
  await addBudget();
  const calls = accounts.map((account) => ({ ...testUsageDraft(account, `call of ${account}`), costNanos: "10" }));
  await recordCalls(
    books,
    calls.map((call) => ({ ...call, time: createdAt })),
  );
  let reads = 0;
  const db = books.db.withPlugin({
    transformQuery({ node }) {
      if (JSON.stringify(node).includes("organisation")) reads++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const counted = { ...books, db };
  await computeAllSpending(counted, "labs", [budget]);
  const readsOfOne = reads;
  expect(readsOfOne).toBeGreaterThan(0);
  expect(await restoreAllAccounts({ redis, bus, books: counted })).toBe(accounts.length);
  expect(reads).toBe(2 * readsOfOne);
  for (const account of accounts)
    expect(await readBudgetUsage(redis, account, [appliedBudget(budget, Date.now())])).toMatchObject([
      { usedNanos: 30n },
    ]);
});

test("an account joins and leaves, although the list of another account cannot be read", async () => {
  const [joining, broken] = ["labs~new", "labs"];
  for (const id of [joining, broken]) await createAccount(redis, { id, balance: 1_000n });
  await bookAccount(books, { id: joining, name: joining, createdAt }, "ada");
  await addBudget();
  await books.db.updateTable("budgets").set({ record: "[{}]" }).where("account", "=", broken).execute();
  const use: BooksConnection["use"] = (step) => step(books);
  const connection = {
    use,
    useDuringMove: use,
    setMoving: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const routes = organisationRoutes(connection, () => ({ redis, bus, books }));
  const run = (route: string, body: object) =>
    routes[route]?.({
      operator: { name: "ada", role: "admin" },
      actor: "ada",
      headers: {},
      address: "",
      params: { id: "labs" },
      query: new URLSearchParams(),
      body,
    });
  const team = { id: "new", name: "new", account: joining };
  expect(await run("POST /organisations/{id}/teams", team)).toEqual({ result: "created" });
  expect(await findBudgets(redis, joining)).toEqual([budget]);
  const deletion = await run("POST /organisations/{id}/delete", { team: "new", releaseAccount: true });
  expect(deletion).toEqual({ result: "deleted-with-account" });
  expect(await findBudgets(redis, joining)).toEqual([]);
});
