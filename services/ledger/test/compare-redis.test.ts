import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { makeTaskCipher, readEpoch } from "@modelgate/accounts";
import { type Books } from "@modelgate/books";
import { createLogger, openBus, type Bus } from "@modelgate/platform";
import { startBackends, type Backends } from "@modelgate/testkit";
import { startComparison } from "../src/restore/compare-redis.ts";
import { newBooks } from "./engines.ts";

const { log } = createLogger("ledger", "silent");
let backends: Backends;
let redis: Redis;
let bus: Bus;
let books: Books;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  bus = await openBus(backends.natsUrl, log);
  books = await newBooks({ kind: "sqlite" });
});
afterAll(async () => {
  redis?.disconnect();
  await bus?.[Symbol.asyncDispose]();
  await books?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("at rest most rounds leave the books alone, but none is left out after a change", async () => {
  let [uses, ended] = [0, 0];
  const connection = {
    useDuringMove<T>(step: (open: Books) => Promise<T>): Promise<T> {
      uses++;
      return step(books).finally(() => ended++);
    },
  };
  const reads = vi.spyOn(redis, "call");
  const readsFrom = (before: number): number => reads.mock.calls.length - before;
  const taskCipher = makeTaskCipher(["a secret of the tests, long enough"]);
  await using comparison = startComparison({ redis, bus, connection, log, roundMs: 10, taskCipher });
  await vi.waitFor(() => expect(comparison.isComplete).toBe(true), 60_000);
  await vi.waitFor(() => expect(readsFrom(0)).toBeGreaterThan(20), 60_000);
  vi.advanceTimersByTime(60_000); // until then, every round looks for calls that Redis has lost

  const [readsBefore, usesBefore] = [reads.mock.calls.length, uses];
  await vi.waitFor(() => expect(readsFrom(readsBefore)).toBeGreaterThan(60), 60_000);
  expect(uses - usesBefore).toBeGreaterThan(0);
  expect(uses - usesBefore).toBeLessThan(readsFrom(readsBefore) / 3);

  // A round that is running would also compare the account.
  await vi.waitFor(() => expect(ended).toBe(uses), 60_000);
  const [readsThen, usesThen] = [reads.mock.calls.length, uses];
  comparison.noteAccounts(["unknown"]);
  await vi.waitFor(() => expect(readsFrom(readsThen)).toBeGreaterThan(2), 60_000);
  expect(uses).toBeGreaterThan(usesThen);

  const epoch = await readEpoch(redis);
  await redis.flushall();
  await vi.waitFor(async () => expect(await readEpoch(redis)).toBe(epoch), 60_000);
  expect(epoch).toBeDefined();
});
