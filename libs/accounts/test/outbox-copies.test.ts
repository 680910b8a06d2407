import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLogger } from "@modelgate/platform";
import { startBackends, testUsageDraft, type Backends } from "@modelgate/testkit";
import {
  accountKeys,
  createAccount,
  hold,
  listCopies,
  publishEntries,
  readCopies,
  readUnpublished,
  settle,
  shardOf,
} from "../src/index.ts";
import { eventsWithoutCopy } from "../src/outbox/outbox-metrics.ts";
import { publishingBus } from "./publishing-bus.ts";

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

async function settleCall(accountId: string, callId: string) {
  const draft = { ...testUsageDraft(accountId, callId), time: new Date().toISOString(), requestId: "request-1" };
  await createAccount(redis, { id: accountId, balance: 1_000n });
  const reservation = { nanos: 2n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000 };
  await hold(redis, { accountId, callId, draft, tokenId: "tok_1", ...reservation });
  const entry = await settle(redis, { accountId, callId, costNanos: 1n, tokens: 0, draft });
  if (entry === undefined) throw new Error("the call was not settled");
  return entry;
}

test("the text of a settled call is its event as JSON, as in the outbox, and is published", async () => {
  const entry = await settleCall("text", "call-2");
  expect(JSON.parse(entry.text ?? "")).toEqual(entry.event);
  const unpublished = await readUnpublished(redis, shardOf("text"), 0, 100);
  expect(unpublished.map(({ event }) => event)).toContainEqual(entry.event);
  const bodies: string[] = [];
  const bus = publishingBus(({ body }) => void bodies.push(body));
  await publishEntries(redis, bus, [entry]);
  expect(bodies).toEqual([entry.text]);
});

test("the copy of a published event is kept although a later attempt to publish it fails", async () => {
  const [accountId, callId] = ["twice", "call-1"];
  const shard = shardOf(accountId);
  const entry = await settleCall(accountId, callId);

  // The ledger has read the event. The service publishes it before the ledger does.
  const unpublished = async () =>
    (await readUnpublished(redis, shard, 0, 10)).filter(({ event }) => event.id === callId);
  const found = await unpublished();
  expect(found).toHaveLength(1);
  const storing = publishingBus(() => undefined);
  expect(await publishEntries(redis, storing, [entry])).toBe(1);
  const failing = publishingBus(() => new Error("no stream"));
  expect(await publishEntries(redis, failing, found)).toBe(0);

  expect(await unpublished()).toEqual([]);
  const copies = await listCopies(redis, [shard]);
  expect((await readCopies(redis, copies)).map(({ event }) => event.id)).toEqual([callId]);
});

test("up to 1,000 events of a shard have copies, the others are counted and cause one warning; an unreadable copy does not hide the others", async () => {
  const counted = vi.spyOn(eventsWithoutCopy, "inc");
  const shard = shardOf("many");
  const { event } = await settleCall("many", "call");
  await redis.eval("for at = 1, 998 do redis.call('HSET', KEYS[1], at, '{}') end", 1, accountKeys.sent(shard));
  const { log } = createLogger("test", "silent");
  const warned = vi.spyOn(log, "warn");
  for (const id of ["first", "second", "third", "fourth"]) {
    const entry = { shard, entryId: "0-1", event: { ...event, id } };
    await publishEntries(
      redis,
      publishingBus(() => undefined),
      [entry],
      log,
    );
  }
  expect(counted.mock.calls).toEqual([[1], [1]]);
  expect(warned.mock.calls).toEqual([[{ shard }, expect.stringContaining("no copy")]]);
  const copies = (await listCopies(redis, [shard])).filter(({ name }) => name === "1" || !/^\d+$/.test(name));
  const unreadable: string[] = [];
  const events = await readCopies(redis, copies, (_, { name }) => unreadable.push(name));
  expect(events.map((copy) => copy.event.id).toSorted()).toEqual(["first", "second"]);
  expect(unreadable).toEqual(["1"]);
});
