import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openContentQuota } from "@modelgate/accounts";
import { createLogger, openRedis, type Redis, type Secrets } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import type { JsonObject } from "@modelgate/wires/text";
import { makeCompactionCipher } from "../../src/responses/compaction/compaction-cipher.ts";
import { keysOf } from "../../src/responses/conversations/conversation-scripts.ts";
import { ConversationStore } from "../../src/responses/conversations/conversation-store.ts";
import { maxAttempts, renewConversation } from "../../src/responses/conversations/renew-conversation.ts";
import { makeRecordCipher } from "../../src/responses/record-cipher.ts";

let backends: LocalBackends;
let redis: Redis;
let count = 0;
let at: { accountId: string; id: string };
let store: ConversationStore;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  at = { accountId: "demo", id: `conv_${++count}` };
  store = storeWith(["old"]);
  await store.save(at, { createdAt: 1, metadata: {} }, memory);
  await add("a", "b", "c");
});

const limits = {
  lifetimeMs: 600_000,
  maxItems: 200,
  maxBytes: 1e6,
  body: { maxBytes: 1e6, values: 1e4, members: 1e4 },
};
const memory = { add: () => undefined };

function recordsWith(secrets: Secrets, to = redis) {
  const quota = openContentQuota(redis, { maxBytes: 1e9 });
  const [cipher, compactions] = [makeRecordCipher(secrets), makeCompactionCipher(secrets)];
  return { redis: to, quota, cipher, compactions, log: { warn: () => undefined } };
}

const storeWith = (secrets: Secrets, to = redis) => new ConversationStore(recordsWith(secrets, to), limits);
const renew = (to = redis) => renewConversation(recordsWith(["next", "old"], to), limits, at, memory);

function add(...ids: readonly string[]) {
  const items = ids.map((id): JsonObject => ({ type: "message", role: "user", content: "x", id }));
  return store.add(at, { items, newId: () => `new${++count}`, memory });
}

const saveTopic = () => store.save(at, { createdAt: 1, metadata: { topic: "boats" } }, memory);
const idsWith = async (secrets: Secrets) => (await storeWith(secrets).readAll(at, memory)).map(({ id }) => id);
const keysOfConversation = async () => (await redis.keys(`*${at.id}*`)).toSorted();
const keysWithItems = () => [keysOf(at).head, keysOf(at).list, keysOf(at).ids].toSorted();

/** Returns a connection that waits for `change` before each of these commands. */
function changedBefore(command: "lrange" | "evalsha", change: () => Promise<unknown>): Redis {
  const run = (...args: readonly string[]) => change().then(() => Reflect.apply(redis[command], redis, args));
  return Object.assign(Object.create(redis), { [command]: run });
}

/** Calls `change` only before the second script, which replaces the items; the first one reads the state. */
function changedBeforeReplacing(change: () => Promise<unknown>): Redis {
  let scripts = 0;
  return changedBefore("evalsha", async () => {
    if (++scripts === 2) await change();
  });
}

const changes: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
  ["an item is added", () => add("d"), ["a", "b", "c", "d"]],
  ["an item is removed", () => store.removeItem(at, "b", memory), ["a", "c"]],
  [
    "one item is removed and another one is added",
    async () => {
      await store.removeItem(at, "a", memory);
      await add("d");
    },
    ["b", "c", "d"],
  ],
  [
    "the last item is replaced by one with the same content",
    async () => {
      await store.removeItem(at, "c", memory);
      await add("c");
    },
    ["a", "b", "c"],
  ],
  ["its metadata is replaced", saveTopic, ["a", "b", "c"]],
  ["another process encrypts it again", () => renew(), ["a", "b", "c"]],
];

test.each(changes)("nothing is replaced if after the items were read %s", async (_, change, expected) => {
  await renew(changedBeforeReplacing(change));
  expect(await idsWith(["old", "next"])).toEqual(expected);
  expect(await keysOfConversation()).toEqual(keysWithItems());
  await renew();
  expect(await idsWith(["next"])).toEqual(expected);
  expect(await storeWith(["next"]).find(at)).toMatchObject({
    metadata: change === saveTopic ? { topic: "boats" } : {},
  });
});

test.each(changes)("nothing is lost if between two reads %s", async (_, change, expected) => {
  const more = Array.from({ length: 70 }, (__, index) => `more${index}`);
  await store.removeItem(at, "c", memory);
  await add(...more, "c");
  let reads = 0;
  const connection = changedBefore("lrange", async () => {
    if (++reads === 2) await change();
  });
  await renew(connection);
  await renew();
  expect(reads).toBe(2);
  const ids = await idsWith(["next"]);
  expect(ids.filter((id) => !String(id).startsWith("more"))).toEqual(expected);
  expect(ids).toHaveLength(expected.length + 70);
});

test.each([
  ["items", "list"],
  ["ids", "ids"],
] as const)("nothing is replaced if the new %s have expired", async (_, name) => {
  await renew(changedBeforeReplacing(async () => redis.del(await redis.keys(`${keysOf(at)[name]}:*`))));
  expect(await idsWith(["old"])).toEqual(["a", "b", "c"]);
  expect(await keysOfConversation()).toEqual(keysWithItems());
});

test("a conversation that is removed meanwhile stays removed", async () => {
  await renew(changedBeforeReplacing(() => store.remove(at)));
  expect(await keysOfConversation()).toEqual([]);
});

test("an addition to a conversation that always changes is refused; its attempts use the same memory", async () => {
  let renewals = 0;
  let bytes = 0;
  const changing = changedBefore("lrange", async () => {
    renewals++;
    await saveTopic();
  });
  const adding = storeWith(["next", "old"], changing).add(at, {
    items: [{ type: "message", role: "user", content: "x" }],
    newId: () => `new${++count}`,
    memory: { add: (more) => void (bytes += more) },
  });
  await expect(adding).rejects.toMatchObject({ code: "server_overloaded" });
  expect(renewals).toBe(maxAttempts - 1);
  expect(bytes).toBe((await store.readAll(at, memory)).reduce((sum, item) => sum + JSON.stringify(item).length, 0));
  expect(await idsWith(["old"])).toEqual(["a", "b", "c"]);
});

test("the items of a conversation without items are replaced, too", async () => {
  for (const id of ["a", "b", "c"]) await store.removeItem(at, id, memory);
  await renew();
  expect(await storeWith(["next"]).find(at)).toEqual({ createdAt: 1, metadata: {} });
  expect(await keysOfConversation()).toEqual([keysOf(at).head]);
});

test("a conversation that is encrypted again expires when it did before", async () => {
  for (const key of keysWithItems()) await redis.pexpire(key, 30_000);
  await renew();
  for (const key of keysWithItems()) {
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(30_000);
  }
});

test("a conversation whose head has no expiry keeps its items, also without an expiry", async () => {
  const { head, list, ids } = keysOf(at);
  await redis.persist(head);
  await renew();
  expect(await idsWith(["next"])).toEqual(["a", "b", "c"]);
  expect(await Promise.all([head, list, ids].map((key) => redis.pttl(key)))).toEqual([-1, -1, -1]);
});
