import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import { draftOf, type LocalBackends, startLocalBackends } from "@modelgate/testkit";
import { accountKeys as keys, readLogPage, readTotals, recordUsage, type LogPlace } from "../src/index.ts";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl, { enableAutoPipelining: true });
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const retention = { keepSeconds: 60, logEntries: 100_000 };
const orders = ["oldest first", "newest first"] as const;

/** Logs events of an account, in this order. */
async function logged(
  account: string,
  events: readonly (Partial<UsageEvent> & { readonly id: string })[],
): Promise<void> {
  await redis.sadd(keys.accounts, account);
  for (const event of events)
    await recordUsage(redis, { ...draftOf(account, event.id), costNanos: "1", ...event }, retention);
}

/** All that a query finds, page by page, with how many pages it took. */
async function read(query: Partial<Parameters<typeof readLogPage>[1]>, limit: number) {
  const ids: string[] = [];
  let pages = 0;
  for (let after: LogPlace | undefined; ;) {
    const asked = { from: "2026-01-01", to: "2026-01-31", order: "oldest first", ...query } as const;
    const page = await readLogPage(redis, asked, limit, after);
    pages++;
    expect(page.events.length).toBeLessThanOrEqual(limit);
    ids.push(...page.events.map(({ id }) => id));
    if (page.next === undefined) return { ids, pages };
    after = page.next;
  }
}

describe("pages", () => {
  const names = ["a", "b", "c", "d", "e"];
  const days = ["2026-01-10", "2026-01-11"];
  beforeAll(async () => {
    for (const account of ["one", "two"])
      for (const day of days)
        await logged(
          account,
          names.map((name, at) => ({
            id: `${day} ${account} ${name}`,
            time: `${day}T10:00:0${at}.000Z`,
            requestId: at % 2 === 0 ? "even" : "odd",
          })),
        );
  });
  const all = days.flatMap((day) =>
    ["one", "two"].flatMap((account) => names.map((name) => `${day} ${account} ${name}`)),
  );

  test.each(orders.flatMap((order) => [1, 2, 3, 7, 20, 100].map((limit) => [order, limit] as const)))(
    "%s, %i at a time: every event once, in its place",
    async (order, limit) => {
      const { ids } = await read({ order }, limit);
      expect(ids.map((id) => id.slice(0, days[0]?.length))).toEqual(
        order === "oldest first" ? all.map((id) => id.slice(0, 10)) : all.toReversed().map((id) => id.slice(0, 10)),
      );
      expect(ids.toSorted()).toEqual(all.toSorted());
      const ofOne = ids.filter((id) => id.includes("one"));
      const expected = all.filter((id) => id.includes("one"));
      expect(ofOne).toEqual(order === "oldest first" ? expected : expected.toReversed());
      const byRequest = await read({ order, requestId: "even", account: "one" }, limit);
      expect(byRequest.ids).toEqual(ofOne.filter((id) => /[ace]$/.test(id)));
    },
  );

  test.each<[string, object, (id: string) => boolean]>([
    ["an account", { account: "two" }, (id) => id.includes("two")],
    ["a day", { from: "2026-01-11", to: "2026-01-11" }, (id) => id.startsWith("2026-01-11")],
    ["a time on", { from: "2026-01-11T10:00:02.000Z" }, (id) => /^2026-01-11 .* [cde]$/.test(id)],
    ["up to a time", { to: "2026-01-10T10:00:01.000Z" }, (id) => /^2026-01-10 .* [ab]$/.test(id)],
    ["a token that there is not", { token: "tok_2" }, () => false],
    ["a model that there is not", { model: "other" }, () => false],
    ["a channel that there is not", { channel: "other" }, () => false],
    ["a request that there is not", { requestId: "eve" }, () => false],
    [
      "token, model, channel and request",
      { token: "tok_1", model: "m", channel: "c", requestId: "odd" },
      (id) => /[bd]$/.test(id),
    ],
  ])("of %s", async (_, query, isWanted) => {
    expect((await read(query, 3)).ids.toSorted()).toEqual(all.filter(isWanted).toSorted());
  });
});

test.each(orders)("one request id for very many calls: all of them are found, %s", async (order) => {
  const account = `many ${order}`;
  await logged(
    account,
    Array.from({ length: 1_234 }, (_, at) => ({
      id: `${account} ${at}`,
      time: "2026-01-20T10:00:00.000Z",
      requestId: "same",
    })),
  );
  const { ids } = await read({ account, requestId: "same", order }, 1_000);
  expect([ids.length, new Set(ids).size]).toEqual([1_234, 1_234]);
});

test("a page looks at so much and no more, however many accounts and days there are; the next goes on", async () => {
  await redis.sadd(keys.accounts, ...Array.from({ length: 400 }, (_, at) => `quiet-${at}`));
  await logged("seldom", [{ id: "found", time: "2025-03-01T10:00:00.000Z" }]);
  for (const order of orders) {
    const { ids, pages } = await read({ from: "2025-01-01", to: "2025-12-31", order }, 10);
    expect(ids).toEqual(["found"]);
    expect(pages).toBeGreaterThan(2);
    expect(pages).toBeLessThan(5);
  }
});

test("a log that is full forgets its oldest events; their request finds nothing, and stops nothing", async () => {
  await redis.sadd(keys.accounts, "full");
  for (let at = 0; at < 400; at++)
    await recordUsage(
      redis,
      { ...draftOf("full", `full-${at}`), time: "2026-01-21T10:00:00.000Z", requestId: `r${at % 2}`, costNanos: "1" },
      { keepSeconds: 60, logEntries: 100 },
    );
  const { ids } = await read({ account: "full" }, 100);
  expect(ids.length).toBeGreaterThanOrEqual(100);
  expect(ids.length).toBeLessThan(400);
  expect(ids.at(-1)).toBe("full-399");
  const odd = await read({ account: "full", requestId: "r1" }, 100);
  expect(odd.ids.toSorted()).toEqual(ids.filter((id) => Number(id.slice(5)) % 2 === 1).toSorted());
});

test("what is logged and counted is kept for as long as it is told, and no longer", async () => {
  await logged("kept", [{ id: "kept-1", time: "2026-01-22T10:00:00.000Z" }]);
  const all = [keys.usageLog, keys.usageRequests, keys.totals, keys.logged].map((key) => key("kept", "2026-01-22"));
  for (const key of all) {
    const left = await redis.ttl(key);
    expect(left).toBeGreaterThan(retention.keepSeconds - 30);
    expect(left).toBeLessThanOrEqual(retention.keepSeconds);
  }
});

test.each([
  [{ token: "tok_1" }, "3"],
  [{ token: "tok_2" }, undefined],
  [{ channel: "c" }, "3"],
  [{ channel: "d" }, undefined],
  [{ model: "m" }, "3"],
  [{ model: "n" }, undefined],
])("totals of %j", async (query, calls) => {
  const account = `totals ${JSON.stringify(query)}`;
  await logged(
    account,
    [1, 2, 3].map((at) => ({ id: `${account} ${at}`, time: "2026-01-23T10:00:00.000Z" })),
  );
  const [row] = await readTotals(redis, {
    from: "2026-01-23",
    to: "2026-01-23",
    account,
    groupBy: ["token", "model", "channel", "day"],
    ...query,
  });
  expect(row?.sums["calls"]).toBe(calls);
});
