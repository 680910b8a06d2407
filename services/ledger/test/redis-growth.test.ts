import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createAccount,
  removeCopies,
  hold,
  countOpenHolds,
  outboxLength,
  publishEntries,
  settle,
  shardOf,
} from "@modelgate/accounts";
import type { Bus } from "@modelgate/platform";
import { testUsageDraft, startLocalBackends, type LocalBackends } from "@modelgate/testkit";

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

/** Number of settled calls (MODELGATE_CALLS). If a call left a key in Redis, this would take more than 50 bytes. */
const calls = Number(process.env["MODELGATE_CALLS"] ?? 4_000);
const batchSize = 200;
const maxBytesPerCall = 25;

/** Bus that stores every event immediately. */
const bus: Bus = {
  connected: true,
  readProgress: () => Promise.resolve(undefined),
  publish: (messages) => Promise.resolve(messages.map(() => undefined)),
  consume: () => ({ [Symbol.asyncDispose]: () => Promise.resolve() }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

async function settleMany(from: number, count: number): Promise<void> {
  for (let first = from; first < from + count; first += batchSize)
    await Promise.all(
      Array.from({ length: batchSize }, async (_, at) => {
        const callId = `call-${first + at}`;
        const draft = {
          ...testUsageDraft("busy", callId),
          time: new Date().toISOString(),
          requestId: `request-${first + at}`,
        };
        const reservation = { nanos: 2n, floorNanos: 0n, tokens: 0, leaseMs: 600_000, outboxBound: 1_000_000 };
        await hold(redis, { accountId: "busy", callId, draft, tokenId: "tok_1", ...reservation });
        const entry = await settle(redis, {
          accountId: "busy",
          callId,
          costNanos: 1n,
          tokens: 0,
          draft,
        });
        if (entry !== undefined)
          await publishEntries(redis, bus, [entry]).then(() => removeCopies(redis, [entry.event]));
      }),
    );
}

const memory = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1]);

async function keysMemory(): Promise<number> {
  const sizes = await Promise.all((await redis.keys("*")).map((key) => redis.memory("USAGE", key, "SAMPLES", 0)));
  return sizes.reduce<number>((sum, size) => sum + Number(size), 0);
}

/** Bytes of one part of a stream. Deleted entries are freed with the whole part. */
const streamPart = 8_192;

test("settled calls leave nothing in Redis after their events are published", async () => {
  // The slow log would grow on a busy machine.
  await redis.config("SET", "slowlog-log-slower-than", "-1");
  await createAccount(redis, { id: "busy", balance: 1_000_000_000n });
  // Creates scripts and buffers before the first measurement.
  await settleMany(0, 1_000);
  const [before, keys, inKeys] = [await memory(), await redis.dbsize(), await keysMemory()];
  await settleMany(1_000, calls);
  const grown = (await memory()) - before;
  process.stdout.write(`Redis has grown by ${grown} bytes in ${calls} settled calls\n`);
  expect(grown).toBeLessThan(calls * maxBytesPerCall);
  expect(await redis.dbsize()).toBe(keys);
  expect(Math.abs((await keysMemory()) - inKeys)).toBeLessThan(streamPart);
  expect([await countOpenHolds(redis, shardOf("busy")), await outboxLength(redis, shardOf("busy"))]).toEqual([0, 1]);
}, 600_000);
