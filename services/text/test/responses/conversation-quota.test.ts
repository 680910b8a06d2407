import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openContentQuota } from "@modelgate/accounts";
import { createLogger, openRedis, type Redis, type Secrets } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { makeCompactionCipher } from "../../src/responses/compaction/compaction-cipher.ts";
import { keysOf } from "../../src/responses/conversations/conversation-scripts.ts";
import { ConversationStore } from "../../src/responses/conversations/conversation-store.ts";
import { makeRecordCipher } from "../../src/responses/record-cipher.ts";

let backends: LocalBackends;
let redis: Redis;
let count = 0;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const limits = {
  lifetimeMs: 600_000,
  maxItems: 100,
  maxBytes: 1e6,
  body: { maxBytes: 1e6, values: 1e4, members: 1e4 },
};
const maxBytes = 5_000;
const memory = { add: () => undefined };
const secrets: Readonly<Record<string, Secrets>> = { old: ["old", "next"], next: ["next", "old"] };

function storeWith(each: Secrets): ConversationStore {
  const quota = openContentQuota(redis, { maxBytes });
  const [cipher, compactions] = [makeRecordCipher(each), makeCompactionCipher(each)];
  return new ConversationStore({ redis, quota, cipher, compactions, log: { warn: () => undefined } }, limits);
}

const noise = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64");

/** Returns the bytes that an account stores, and the bytes that count, by the name of the record. */
async function storedAndCounted(at: { accountId: string; id: string }) {
  const { head, list, ids, contentSizes, contentExpiries } = keysOf(at);
  const metadata = await redis.hstrlen(head, "metadata");
  const items = [...(await redis.lrange(list, 0, -1)), ...(await redis.lrange(ids, 0, -1))].join("").length;
  const { "": total, ...sizes } = await redis.hgetall(contentSizes);
  const counted = Object.fromEntries(Object.entries(sizes).map(([name, bytes]) => [name, Number(bytes)]));
  expect((await redis.zrange(contentExpiries, "0", "-1")).toSorted()).toEqual(Object.keys(counted).toSorted());
  const stored = { ...(metadata === 0 ? {} : { [head]: metadata }), ...(items === 0 ? {} : { [list]: items }) };
  return { stored, counted, bytes: metadata + items, total: Number(total ?? 0) };
}

const change = fc.record({
  secret: fc.constantFrom("old", "next"),
  kind: fc.constantFrom("add", "add", "add", "save", "remove item", "read", "remove"),
  bytes: fc.integer({ min: 1, max: 1_500 }),
});

test("the quota counts what a conversation holds after any changes, also refused ones", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 15 }), async (changes) => {
      const at = { accountId: `holder${++count}`, id: `conv_${count}` };
      for (const { secret, kind, bytes } of [{ secret: "old", kind: "save", bytes: 1 }, ...changes]) {
        const store = storeWith(secrets[secret] ?? ["old"]);
        const items = [{ type: "message", role: "user", content: noise(bytes), id: `item${++count}` }];
        const [first = ""] = await redis.lrange(keysOf(at).ids, 0, 0);
        if (kind === "add") await store.add(at, { items, newId: () => `new${++count}`, memory });
        else if (kind === "save") await store.save(at, { createdAt: 1, metadata: { topic: noise(bytes) } }, memory);
        else if (kind === "remove item") await store.removeItem(at, first, memory);
        else if (kind === "read") await store.readForTurn(at, 1, memory);
        else await store.remove(at);
        const { stored, counted, bytes: held, total } = await storedAndCounted(at);
        expect(counted).toEqual(stored);
        expect(total).toBe(held);
        expect(held).toBeLessThanOrEqual(maxBytes);
      }
    }),
    { numRuns: 40 },
  );
});

async function openFull() {
  const at = { accountId: `full${++count}`, id: `conv_${count}` };
  const store = storeWith(["old", "next"]);
  const save = (bytes: number) => store.save(at, { createdAt: 1, metadata: { topic: noise(bytes) } }, memory);
  const add = (bytes: number) =>
    store.add(at, { items: [{ type: "message", content: noise(bytes) }], newId: () => `new${++count}`, memory });
  expect(await save(100)).toBe(true);
  expect(await add(1_500)).toMatchObject({ verdict: "added" });
  return { at, save, add };
}

test("a change beyond the account's limit is refused and changes nothing", async () => {
  const { at, save, add } = await openFull();
  const before = await storedAndCounted(at);
  expect(await add(3_000)).toEqual({ verdict: "over-limit" });
  expect(await save(3_000)).toBe(false);
  expect(await storedAndCounted(at)).toEqual(before);
});

test.each<[string, (full: Awaited<ReturnType<typeof openFull>>) => Promise<unknown>]>([
  ["only its metadata is changed", ({ save }) => save(100)],
  ["only an item is added", ({ add }) => add(100)],
])("a conversation counts until it expires, also if it is encrypted again or %s", async (_, change) => {
  const full = await openFull();
  const { at } = full;
  const { head, list, ids, contentExpiries } = keysOf(at);
  const lifetimes = async () => {
    const [now, ...scores] = [await redis.time(), ...(await redis.zmscore(contentExpiries, head, list))];
    return scores.map((score) => Number(score) - Number(now?.[0]) * 1_000);
  };
  for (const key of [head, list, ids]) await redis.pexpire(key, 60_000);
  await storeWith(["next", "old"]).readForTurn(at, 1, memory);
  for (const lifetime of await lifetimes()) expect(lifetime).toBeLessThan(70_000);
  // An earlier version did not count the items for as long as they were stored.
  await openContentQuota(redis, { maxBytes }).release({ accountId: at.accountId, record: list });
  await change(full);
  for (const lifetime of await lifetimes()) expect(lifetime).toBeGreaterThan(limits.lifetimeMs - 10_000);
});

test("a change of a conversation releases at most 1,000 expired records", async () => {
  const at = { accountId: `holder${++count}`, id: `conv_${count}` };
  const { contentSizes, contentExpiries } = keysOf(at);
  const names = Array.from({ length: 2_500 }, (_, position) => `expired${position}`);
  await redis.hset(contentSizes, { "": 2_500, ...Object.fromEntries(names.map((name) => [name, 1])) });
  await redis.zadd(contentExpiries, ...names.flatMap((name) => ["1", name]));
  await storeWith(["old"]).save(at, { createdAt: 1, metadata: {} }, memory);
  expect(await redis.zcount(contentExpiries, "-inf", "1")).toBe(1_500);
  expect(Number(await redis.hget(contentSizes, ""))).toBe(1_500 + (await redis.hstrlen(keysOf(at).head, "metadata")));
});
