import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readCalls, readTotals, type Books } from "@modelgate/books";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { createLogger } from "@modelgate/platform";
import { testUsageDraft, type LocalBackends, startLocalBackends, startServiceAlone, until } from "@modelgate/testkit";
import type { BooksConnection } from "../src/books-connection.ts";
import { startMovingUsage } from "../src/move/move-usage.ts";
import { moveDay } from "../src/move/usage-day.ts";
import { engines, newBooks } from "./engines.ts";
import { recordUsage } from "./last-version/record-usage.ts";

const { log } = createLogger("test", "silent");
let backends: LocalBackends;
let redis: Redis;
let books: Books;

const date = "2026-01-20";
const january = { from: Date.parse("2026-01-01"), to: Date.parse("2026-02-01") };

function eventOf(id: string, more: Partial<UsageEvent> = {}): UsageEvent {
  return {
    ...testUsageDraft("acme", id),
    time: `${date}T10:00:00.000Z`,
    units: { inputTokens: 3, seconds: 1.5 },
    costNanos: "7",
    ...more,
  };
}

/** Records calls of which the log keeps about 100. */
const recordMany = (calls: number) =>
  Promise.all(Array.from({ length: calls }, (_, at) => recordUsage(redis, eventOf(`call-${at}`), 100)));

const totals = async () =>
  (await readTotals(books, { ...january, groupBy: ["account"] })).map(({ by, sums }) => ({ ...by, ...sums }));

describe.each(engines)("books in $name", ({ name, kind }) => {
  beforeAll(async () => {
    backends = await startLocalBackends();
    redis = new Redis(backends.redisUrl, { enableAutoPipelining: true });
  });
  beforeEach(async () => {
    books = await newBooks({ kind });
    await redis.flushall();
    return () => books[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  test("a day is moved completely, and nothing of it remains in Redis", async () => {
    const events = Array.from({ length: 1_201 }, (_, at) => eventOf(`call-${String(at).padStart(4, "0")}`));
    await Promise.all(events.map((event) => recordUsage(redis, event)));
    await moveDay(redis, books, { account: "acme", date });
    expect(await redis.keys("*")).toEqual([]);
    const { events: moved } = await readCalls(books, january, { order: "oldest first", limit: 2_000 });
    expect(moved).toEqual(events);
    expect(await totals()).toEqual([
      { account: "acme", calls: "1201", costNanos: "8407", inputTokens: "3603", milliseconds: "1801500" },
    ]);
  });

  test("calls that a limited log has dropped are kept in the totals", async () => {
    await recordMany(400);
    const logged = await redis.xlen(
      `usage-log:{s${/\{s(\d\d)\}/.exec((await redis.keys("totals:*"))[0] ?? "")?.[1]}}:acme:${date}`,
    );
    expect(logged).toBeLessThan(400);
    await moveDay(redis, books, { account: "acme", date });
    const { events } = await readCalls(books, january, { order: "oldest first", limit: 2_000 });
    expect(events).toHaveLength(logged);
    expect(await totals()).toMatchObject([
      { calls: "400", costNanos: "2800", inputTokens: "1200", milliseconds: "600000" },
    ]);
  });

  test("a move that is interrupted before the keys are removed is repeated without double counting", async () => {
    await recordMany(400);
    const kept = await Promise.all(
      (await redis.keys("*")).map(async (name) => [name, await redis.dumpBuffer(name)] as const),
    );
    await moveDay(redis, books, { account: "acme", date });
    for (const [name, dump] of kept) if (dump !== null) await redis.restore(name, 0, dump);
    await moveDay(redis, books, { account: "acme", date });
    expect(await redis.keys("*")).toEqual([]);
    expect(await totals()).toMatchObject([{ calls: "400", costNanos: "2800" }]);
  });

  test("Redis is searched until a start finds no usage; later starts do not need it", async () => {
    const unavailable = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false });
    await recordUsage(redis, eventOf("call"));
    for (const store of [redis, redis, unavailable]) {
      const states: boolean[] = [];
      const run = <T>(step: (books: Books) => Promise<T>) => step(books);
      const connection: BooksConnection = {
        use: run,
        useDuringMove: run,
        setMoving: (moving) => void states.push(moving),
        [Symbol.asyncDispose]: async () => undefined,
      };
      await using _moving = startMovingUsage({ redis: store, connection, log });
      await until("the move to end", () => states.at(-1) === false);
    }
    expect(await totals()).toMatchObject([{ calls: "1" }]);
  });

  // On the engine of `npm start`. The tests above move days on each engine.
  test.each(name === "SQLite" ? [name] : [])(
    "the first start of a ledger moves all days of all accounts, and readers wait until it has",
    async () => {
      const accounts = Array.from({ length: 30 }, (_, at) => `account-${at}`);
      const days = ["2026-01-20", "2026-01-21"];
      for (const accountId of accounts)
        for (const day of days)
          await recordUsage(redis, eventOf(`${accountId}-${day}`, { accountId, time: `${day}T10:00:00.000Z` }));
      const secret = "a secret of the tests, long enough";
      await redis.set("of another program", "1");
      const ledger = await startServiceAlone("ledger", {
        REDIS_URL: backends.redisUrl,
        NATS_URL: backends.natsUrl,
        MODELGATE_SECRET: secret,
        LOG_LEVEL: "silent",
      });
      try {
        const authorization = `Bearer ${signOperator(secret, Math.floor(Date.now() / 1_000) + 60)}`;
        const ask = async () => {
          const answer = await fetch(`${ledger.url}/usage/events?from=2026-01-20&to=2026-01-21`, {
            headers: { authorization, connection: "close" },
          });
          expect([200, 503]).toContain(answer.status);
          if (answer.status !== 200) return undefined;
          const { data }: { data: { events: UsageEvent[] } } = JSON.parse(await answer.text());
          return data;
        };
        // The first answer after the move contains all calls.
        const { events } = await until("the move to end", ask);
        expect(events.map(({ id }) => id).toSorted()).toEqual(
          accounts.flatMap((account) => days.map((day) => `${account}-${day}`)).toSorted(),
        );
        // Other keys belong to the ledger.
        expect(
          (await redis.keys("*")).filter((name) => !["data-version", "epoch", "whole-runs"].includes(name)),
        ).toEqual(["of another program"]);
      } finally {
        await ledger[Symbol.asyncDispose]();
      }
    },
  );
});
