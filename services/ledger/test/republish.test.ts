import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, hold, publishEntries, settle } from "@modelgate/accounts";
import { createLogger, type Bus, type BusMessage } from "@modelgate/platform";
import { startBackends, testUsageDraft, until, type Backends } from "@modelgate/testkit";
import { startRepublishing } from "../src/restore/republish.ts";

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

test("a stream that was recreated is noticed although it has more messages than the deleted one had", async () => {
  let stream = { created: "2026-11-27T01:00:00Z", last: 5 };
  let reads = 0;
  const published: string[] = [];
  const bus: Bus = {
    connected: true,
    publish: (messages: readonly BusMessage[]) => {
      published.push(...messages.map(({ id }) => id));
      return Promise.resolve(messages.map(() => undefined));
    },
    consume: () => expect.fail("not called here"),
    readProgress: () => {
      reads++;
      return Promise.resolve({
        ...stream,
        handled: 0,
        waiting: stream.last,
        readOldestAgeMs: () => Promise.resolve(0),
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const [accountId, callId] = ["recreated", "call-1"];
  const draft = { ...testUsageDraft(accountId, callId), time: new Date().toISOString(), requestId: "request-1" };
  await createAccount(redis, { id: accountId, balance: 1_000n });
  const reservation = { nanos: 2n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000 };
  await hold(redis, { accountId, callId, draft, tokenId: "tok_1", ...reservation });
  const entry = await settle(redis, { accountId, callId, costNanos: 1n, tokens: 0, draft });
  if (entry === undefined) throw new Error("the call was not settled");
  await publishEntries(redis, bus, [entry]);
  const first = [...published];
  expect(first).toHaveLength(1);

  const { log } = createLogger("test", "silent");
  const connection = { useDuringMove: () => Promise.reject(new Error("no books here")) };
  await using _ = startRepublishing({ redis, bus, connection, log, afterMs: 3_600_000 });
  await until("the stream to be read", () => reads >= 6);
  expect(published).toEqual(first);
  stream = { created: "2026-11-27T02:00:00Z", last: 9 };
  await until("the event to be published again", () => published.length > 1);
  expect(published).toEqual([...first, ...first]);
});
