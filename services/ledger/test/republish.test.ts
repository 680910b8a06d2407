import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  accountKeys,
  createAccount,
  hold,
  publishEntries,
  settle,
  shardOf,
  type OutboxEntry,
} from "@modelgate/accounts";
import type { UsageDraft } from "@modelgate/contracts";
import { createLogger, type Bus, type BusMessage } from "@modelgate/platform";
import { startBackends, testUsageDraft, until, type Backends } from "@modelgate/testkit";
import { usageCounted, usageUnpriced } from "../src/ledger-metrics.ts";
import { recordPublishedOf } from "../src/restore/record-copies.ts";
import { startRepublishing } from "../src/restore/republish.ts";
import { newBooks } from "./engines.ts";

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

/** Settles a call of a new account, and returns its event. */
async function settledCall(accountId: string): Promise<OutboxEntry> {
  const callId = `call-${accountId}`;
  const draft: UsageDraft = {
    ...testUsageDraft(accountId, callId),
    time: new Date().toISOString(),
    requestId: "request-1",
    model: accountId,
    unpriced: ["inputTokens"],
  };
  await createAccount(redis, { id: accountId, balance: 1_000n });
  const reservation = { nanos: 2n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000 };
  await hold(redis, { accountId, callId, draft, tokenId: "tok_1", ...reservation });
  return (await settle(redis, { accountId, callId, costNanos: 1n, tokens: 0, draft })) ?? expect.unreachable();
}

const { log } = createLogger("test", "silent");

/** A bus that stores every message, and whose streams are not read. */
const publishingBus: Bus = {
  connected: true,
  publish: async (messages) => messages.map(() => undefined),
  consume: () => expect.fail("not called here"),
  readProgress: () => expect.fail("not called here"),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

test("a stream that was recreated is noticed although it has more messages than the deleted one had; copies are read only then", async () => {
  let stream = { created: "2026-11-27T01:00:00Z", last: 5 };
  let reads = 0;
  const published: string[] = [];
  const bus: Bus = {
    ...publishingBus,
    publish: (messages: readonly BusMessage[]) => {
      published.push(...messages.map(({ id }) => id));
      return Promise.resolve(messages.map(() => undefined));
    },
    readProgress: () => {
      reads++;
      return Promise.resolve({
        ...stream,
        handled: stream.last,
        waiting: 0,
        readOldestAgeMs: () => Promise.resolve(0),
      });
    },
  };
  const entry = await settledCall("recreated");
  await publishEntries(redis, bus, [entry]);
  const first = [...published];
  expect(first).toHaveLength(1);

  const key = accountKeys.sent(shardOf("recreated"));
  const others = Array.from({ length: 500 }, (_, at) => [`other-${at}`, JSON.stringify(entry.event)]);
  await redis.hset(key, "unreadable", "{}", ...others.flat());
  const readBodies = vi.spyOn(redis, "hmget");
  const logged = vi.spyOn(log, "error");
  const connection = { useDuringMove: () => Promise.reject(new Error("no books here")) };
  await using _ = startRepublishing({ redis, bus, connection, log, afterMs: 3_600_000 });
  await until("the stream to be read", () => reads >= 6);
  expect(readBodies).not.toHaveBeenCalled();
  expect(published).toEqual(first);
  stream = { created: "2026-11-27T02:00:00Z", last: 9 };
  // All are published, although the books are unavailable.
  await until("the events to be published again", () => published.length > 501);
  expect(published).toEqual(Array.from({ length: 502 }, () => first[0]));
  await redis.hdel(key, ...others.map(([name = ""]) => name));
  expect(logged.mock.calls).toMatchObject([[{ name: "unreadable" }, expect.any(String)]]);
});

test("an event that is recorded from its copy is counted once in the metrics", async () => {
  await using books = await newBooks({ kind: "sqlite" });
  const counts = async (): Promise<readonly number[]> => {
    const [usage] = (await usageCounted.get()).values;
    const unpriced = (await usageUnpriced.get()).values.find(({ labels }) => labels.model === "copied");
    return [usage?.value ?? 0, unpriced?.value ?? 0];
  };
  const [before = 0] = await counts();
  const entry = await settledCall("copied");
  for (let times = 1; times <= 2; times++) {
    await publishEntries(redis, publishingBus, [entry]);
    expect(await recordPublishedOf({ redis, books }, "copied")).toBe(1);
    expect(await counts()).toEqual([before + 1, 1]);
  }
});
