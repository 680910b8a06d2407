import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  accountKeys,
  createAccount,
  makeToken,
  newKey,
  periodAt,
  writeBudgetsToRedis,
  writeTokenToRedis,
  shardOf,
  type Budget,
} from "@modelgate/accounts";
import {
  bookAccount,
  bookOrganisation,
  bookTeam,
  bookToken,
  readAlerts,
  recordCalls,
  type Books,
} from "@modelgate/books";
import { Failure, makeRefusedCall } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { startLocalRedis, testUsageDraft, type LocalRedis } from "@modelgate/testkit";
import { AlertRecorder } from "../../src/alerts/alert-recorder.ts";
import { BudgetAlerts } from "../../src/alerts/budget-alerts.ts";
import { newBooks } from "../engines.ts";

const { log } = createLogger("test", "silent");
const [secondMs, hourMs] = [1_000, 3_600_000];
/** Last second of a day, a week, a month and a quarter in UTC. */
const lastSecond = Date.parse("2028-12-31T23:59:59.000Z");
const afterPeriodEnd = lastSecond + 2 * secondMs;
const budget: Budget = {
  id: "bud_1",
  scope: "account",
  period: "day",
  zone: "UTC",
  nanos: "100",
  mode: "hard",
  createdAt: "2028-12-01T00:00:00.000Z",
};

let server: LocalRedis;
let redis: Redis;
let books: Books;
beforeAll(async () => {
  server = await startLocalRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await redis.flushall();
  await createAccount(redis, { id: "acme", balance: 1_000n });
  books = await newBooks({ kind: "sqlite" });
  vi.useFakeTimers({ toFake: ["Date"], now: lastSecond });
});
afterEach(async () => {
  vi.useRealTimers();
  await books[Symbol.asyncDispose]();
});

let version = 0;
/** Gives the account this budget, with no spending in Redis. */
async function give(more: Partial<Budget> = {}): Promise<void> {
  await writeBudgetsToRedis(redis, "acme", { version: ++version, budgets: [{ ...budget, ...more }] }, new Map());
}
async function callAt(timeMs: number, costNanos: string, tokenId = "tok_1") {
  const call = {
    ...testUsageDraft("acme", `call-${timeMs}`),
    time: new Date(timeMs).toISOString(),
    costNanos,
    tokenId,
  };
  await recordCalls(books, [call]);
  return call;
}
/** Searches for alerts at a time. Returns the periods of all stored alerts. */
async function foundAt(timeMs: number, alerts = new BudgetAlerts()): Promise<readonly string[]> {
  vi.setSystemTime(timeMs);
  await alerts.record(books, { redis, recorder: new AlertRecorder(log) });
  return (await readAlerts(books, { limit: 99 })).map(({ period }) => period).toSorted();
}
const numberOf = (period: Budget["period"], zone = "UTC") => periodAt(period, zone, lastSecond).number;

test.each(["day", "week", "month", "quarter"] as const)(
  "a level that a budget reaches at the end of a %s is one alert, even if the ledger finds it later",
  async (period) => {
    await give({ period });
    const running = new BudgetAlerts();
    expect(await foundAt(lastSecond, running)).toEqual([]);
    running.noteCalls([await callAt(lastSecond, "85")]);
    const expected = [`${period}/${numberOf(period)}/80/100`];
    expect(await foundAt(afterPeriodEnd, running)).toEqual(expected);
    // Another ledger that starts later finds it again in the books.
    expect(await foundAt(afterPeriodEnd + hourMs)).toEqual(expected);
    const [{ summary } = { summary: "" }] = await readAlerts(books, { limit: 1 });
    const start = new Date(periodAt(period, "UTC", lastSecond).startMs).toISOString().slice(0, "2028-12-31".length);
    expect(summary).toContain(`of account acme for the ${period} from ${start}T00:00:00Z are spent`);
  },
);

test("the calls of a ledger that died before it considered them are found in the books", async () => {
  await give();
  await callAt(lastSecond, "100");
  expect(await foundAt(afterPeriodEnd)).toEqual([`day/${numberOf("day")}/100/100`]);
});

test("the alerts of every day of an outage are found, and those before the budget's creation are not", async () => {
  const day = numberOf("day");
  await give({ createdAt: new Date(lastSecond - 26 * hourMs).toISOString() });
  const calls = [];
  for (const daysAgo of [0, 1, 2]) calls.push(await callAt(lastSecond - daysAgo * 24 * hourMs, "85"));
  const running = new BudgetAlerts();
  running.noteCalls(calls);
  expect(await foundAt(afterPeriodEnd + 25 * hourMs, running)).toEqual([`day/${day - 1}/80/100`, `day/${day}/80/100`]);
});

test.each(["102", "150"])("an alert of an ended period is not repeated for another amount (%s)", async (nanos) => {
  const day = numberOf("day");
  await give();
  await redis.hset(accountKeys.budgets("acme"), "bud_1", `${day} 85 0 0`);
  await callAt(lastSecond, "85");
  const stored = await foundAt(lastSecond);
  expect(stored).toEqual([`day/${day}/80/100`]);
  await give({ nanos });
  expect(await foundAt(afterPeriodEnd)).toEqual(stored);
});

test("a period ends at midnight in the budget's zone", async () => {
  const end = Date.parse("2028-12-31T16:00:00.000Z");
  await give({ zone: "Asia/Shanghai" });
  await callAt(end - secondMs, "85");
  await callAt(end, "20");
  expect(await foundAt(end + secondMs)).toEqual([`day/${numberOf("day", "Asia/Shanghai") - 1}/80/100`]);
});

test("the amount that rolled over to an ended period belongs to its maximum", async () => {
  await give({ rolloverNanos: "50" });
  await callAt(lastSecond, "85");
  expect(await foundAt(afterPeriodEnd)).toEqual([`day/${numberOf("day")}/50/100`]);
});

test("a refusal at the end of a period is an alert, even if a later one follows", async () => {
  await give();
  await callAt(lastSecond, "10");
  const alerts = new BudgetAlerts();
  for (const time of [lastSecond, afterPeriodEnd]) {
    vi.setSystemTime(time);
    const failure = new Failure("insufficient_quota", undefined, { budget: "bud_1" });
    const request = {
      id: "ref",
      requestId: "req",
      accountId: "acme",
      tokenId: "tok_1",
      endpoint: "POST /v1/responses",
    };
    alerts.noteRefused([{ call: makeRefusedCall(request, failure), calls: 1, budget: "bud_1" }]);
  }
  const day = numberOf("day");
  expect(await foundAt(afterPeriodEnd, alerts)).toEqual(
    [`day/${day + 1}/refused/100`, `day/${day}/refused/100`].toSorted(),
  );
});

test("what an account spent before it joined an organisation does not alert for the organisation's budget", async () => {
  const scope = "organisation:acme";
  await bookOrganisation(books, { id: "acme", name: "Acme" }, "ada");
  await bookAccount(books, { id: "acme", name: "acme", createdAt: budget.createdAt }, "ada");
  await bookTeam(books, { organisation: "acme", id: "all", name: "all", account: "acme" }, "ada", shardOf);
  await give({ scope });
  await callAt(lastSecond, "100");
  await redis.hset(accountKeys.budgetsOfOrganisation("acme", scope), "bud_1", `${numberOf("day")} 55 0 0`);
  expect(await foundAt(lastSecond)).toEqual([`day/${numberOf("day")}/50/100`]);
});

test.each([
  { used: true, expected: [`day/${periodAt("day", "UTC", lastSecond).number}/80/100`] },
  { used: false, expected: [] },
])("a key's limit alerts for an ended day in which it was used ($used)", async ({ used, expected }) => {
  const request = { accountId: "acme", group: "default", name: "ci", budget: { perDay: "100" } };
  const { digest, token } = makeToken(newKey(), request);
  await writeTokenToRedis(redis, digest, token);
  await bookToken(books, { account: "acme", id: token.id, digest, record: { ...token } }, "ada");
  const day = numberOf("day");
  const state = used ? `${day} 85 0 0` : `${day + 1} 0 0 0`;
  await redis.hset(accountKeys.budgets("acme"), `day:key:${token.id}`, state);
  await callAt(lastSecond, "85", token.id);
  expect(await foundAt(afterPeriodEnd)).toEqual(expected);
});
