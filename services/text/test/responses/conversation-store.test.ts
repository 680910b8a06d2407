import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openContentQuota, shardOf } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { createLogger, openRedis, type Logger, type Redis, type Secrets } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import type { JsonObject } from "@modelgate/wires/text";
import { makeCompactionCipher } from "../../src/responses/compaction/compaction-cipher.ts";
import { keysOf } from "../../src/responses/conversations/conversation-scripts.ts";
import { ConversationStore, type Addition } from "../../src/responses/conversations/conversation-store.ts";
import type { RecordMemory } from "../../src/responses/record-reader.ts";
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
  maxBytes: 30_000,
  body: { maxBytes: 40_000, values: 2_000, members: 1_000 },
};
const unbounded: RecordMemory = { add: () => undefined };
const newId = () => `new${++count}`;
const user = (text: string, id?: string): JsonObject => ({ type: "message", role: "user", content: text, id });

const warn = vi.fn<Logger["warn"]>();

type Limits = typeof limits;

function storeWith(secrets: Secrets, itsLimits = limits): ConversationStore {
  const [cipher, compactions] = [makeRecordCipher(secrets), makeCompactionCipher(secrets)];
  const quota = openContentQuota(redis, { maxBytes: 1e9 });
  return new ConversationStore({ redis, quota, cipher, compactions, log: { warn } }, itsLimits);
}

async function open() {
  const store = storeWith(["a secret"]);
  const at = { accountId: "demo", id: `conv_${++count}` };
  await store.save(at, { createdAt: 1, metadata: {} }, unbounded);
  const add = (...items: readonly JsonObject[]): Promise<Addition> =>
    store.add(at, { items, newId, memory: unbounded });
  const read = async (range: { newestFirst: boolean; limit: number; after?: string }, memory = unbounded) => {
    const page = await store.read(at, range, memory);
    if (page === undefined || page === "unknown") throw new Error(`the page is ${page}`);
    return { ...page, items: page.texts.map((text): JsonObject => JSON.parse(text.toString())) };
  };
  const readAll = async (newestFirst: boolean, limit: number) => {
    const all: JsonObject[] = [];
    for (let after: string | undefined; ; after = String(all.at(-1)?.["id"])) {
      const page = await read({ newestFirst, limit, ...(after === undefined ? {} : { after }) });
      all.push(...page.items);
      expect(page.items.length === limit || !page.hasMore).toBe(true);
      if (!page.hasMore) return all;
    }
  };
  return { store, at, add, read, readAll };
}

/** Change of a conversation: items to add, some with an existing id, or the position of an item to remove. */
const change = fc.oneof(
  fc.record({ adds: fc.array(fc.option(fc.constantFrom("a", "b", "c")), { minLength: 1, maxLength: 5 }) }),
  fc.record({ removes: fc.nat(20) }),
);

test("pages of any size in either order contain the complete conversation, after any additions and removals", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.integer({ min: 1, max: 7 }), async (changes, limit) => {
      const { store, at, add, readAll } = await open();
      let expected: readonly JsonObject[] = [];
      for (const each of changes) {
        if ("adds" in each) {
          const added = await add(...each.adds.map((id) => user(`Line ${++count}`, id ?? undefined)));
          if (added.verdict !== "added") throw new Error(added.verdict);
          expected = [...expected, ...added.items];
        } else {
          const removed = expected[each.removes];
          expect(await store.removeItem(at, String(removed?.["id"]), unbounded)).toBe(removed !== undefined);
          expected = expected.filter((item) => item !== removed);
        }
        expect(await readAll(false, limit)).toEqual(expected);
        expect(await readAll(true, limit)).toEqual(expected.toReversed());
      }
      expect(await store.readAll(at, unbounded)).toEqual(expected);
      expect(new Set(expected.map(({ id }) => id)).size).toBe(expected.length);
      for (const item of expected)
        expect(JSON.parse(String(await store.readItem(at, String(item["id"]), unbounded)))).toEqual(item);
      await store.remove(at);
      expect(await redis.keys(`*${at.id}*`)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test("a page is read into memory, and nothing else", async () => {
  const { store, at, add, read } = await open();
  const added = await add(...Array.from({ length: 20 }, (_, line) => user("x".repeat(line * 10))));
  if (added.verdict !== "added") throw new Error(added.verdict);
  let taken = 0;
  const memory = { add: (bytes: number) => void (taken += bytes) };
  const sizes = added.items.map((item) => JSON.stringify(item).length);
  await read({ newestFirst: true, limit: 1 }, memory);
  expect(taken).toBe(sizes[19]);
  taken = 0;
  await read({ newestFirst: false, limit: 2, after: added.items[4]?.id ?? "" }, memory);
  expect(taken).toBe((sizes[5] ?? 0) + (sizes[6] ?? 0));
  taken = 0;
  await store.readItem(at, added.items[7]?.id ?? "", memory);
  expect(taken).toBe(sizes[7]);
});

test("a page that does not fit into memory is refused", async () => {
  const { add, read } = await open();
  await add(user("One"));
  const full = new Error("no room");
  const memory = {
    add: () => {
      throw full;
    },
  };
  await expect(read({ newestFirst: true, limit: 1 }, memory)).rejects.toBe(full);
});

test.each<[string, () => JsonObject, RegExp]>([
  ["items", () => user("x"), /limit of 100 items/],
  [
    "packed bytes",
    () => user(Buffer.from(crypto.getRandomValues(new Uint8Array(8_000))).toString("base64")),
    /limit of 30000 bytes after compression/,
  ],
  ["bytes", () => user("x".repeat(9_000)), /limit of 40000 bytes$/],
  ["values", () => ({ type: "other", list: Array.from({ length: 900 }, () => 1) }), /limit of 2000 values/],
  [
    "members",
    () => ({ ...user(""), content: Array.from({ length: 60 }, () => ({ a: 1, b: 2, c: 3, d: 4 })) }),
    /limit of 1000 members/,
  ],
])("the content of a conversation is limited: %s", async (_, item, problem) => {
  const { add, at, store, read } = await open();
  let added = await add(item());
  let kept = 0;
  for (; added.verdict === "added"; kept++) added = await add(item());
  expect(kept).toBeGreaterThan(0);
  expect(added).toMatchObject({ verdict: "full", problem: expect.stringMatching(problem) });
  // Removing an item makes room for another one.
  const [newest = ""] = (await read({ newestFirst: true, limit: 1 })).ids;
  expect(await store.removeItem(at, newest, unbounded)).toBe(true);
  expect((await add(item())).verdict).toBe("added");
  expect((await add(item())).verdict).toBe("full");
});

/** Stores items as the previous version of the gateway did: without their ids and sizes. */
async function pushAsBefore({ at }: Pick<Awaited<ReturnType<typeof open>>, "at">, ...items: readonly JsonObject[]) {
  const { head, list } = keysOf(at);
  const cipher = makeRecordCipher(["a secret"]);
  for (const item of items) {
    const record = cipher.encrypt(zstdCompressSync(JSON.stringify(item)), list).toString("base64");
    await redis.rpush(list, record);
    await redis.hincrby(head, "bytes", record.length);
  }
}

test("a conversation of the previous version is read, extended and counted, also while that version extends it", async () => {
  const conversation = await open();
  const { add, at, readAll, store } = conversation;
  await pushAsBefore(conversation, user("One", "msg_1"), user("Two", "msg_2"), user("Again", "msg_1"));
  const [one, two, again] = await readAll(false, 2);
  expect([one, two, again]).toMatchObject([
    { content: "One", id: "msg_1" },
    { content: "Two", id: "msg_2" },
    { content: [{ text: "Again" }], id: expect.stringMatching(/^msg_\w{32}$/) },
  ]);
  expect(await store.removeItem(at, "msg_2", unbounded)).toBe(true);
  await pushAsBefore(conversation, user("Three", "msg_3"));
  await add(user("Four", "msg_4"));
  const ids = [one?.["id"], again?.["id"], "msg_3", "msg_4"];
  expect((await readAll(true, 3)).map(({ id }) => id)).toEqual(ids.toReversed());
  const { head, list } = keysOf(at);
  const sizes = (await store.readAll(at, unbounded)).map((item) => JSON.stringify(item).length);
  expect(Number(await redis.hget(head, "textBytes"))).toBe(sizes.reduce((sum, each) => sum + each, 0));
  const records = await redis.lrange(list, 0, -1);
  const packed = [...records, ...ids.map(String)].reduce((sum, each) => sum + each.length, 0);
  expect(Number(await redis.hget(head, "bytes"))).toBe(packed);
});

test("a conversation of the previous version that exceeds the limit of a body is refused", async () => {
  const conversation = await open();
  await pushAsBefore(conversation, ...["a", "b", "c", "d", "e"].map((id) => user("x".repeat(9_000), id)));
  const code = "request_too_large";
  await expect(conversation.read({ newestFirst: true, limit: 1 })).rejects.toMatchObject({ code });
  await expect(conversation.add(user("One"))).rejects.toMatchObject({ code });
});

test("concurrent additions are all stored, each within the limits", async () => {
  const { add, readAll } = await open();
  const added = await Promise.all(Array.from({ length: 120 }, (_, line) => add(user(`Line ${line}`, "same"))));
  expect(added.filter(({ verdict }) => verdict === "added")).toHaveLength(100);
  expect(new Set((await readAll(false, 30)).map(({ id }) => id)).size).toBe(100);
});

const conversation = { createdAt: 1, metadata: { topic: "boats" } };

/** Stores of a rotation by its steps. The last one knows only the new secret. */
async function openRotation() {
  const [first, before, after, last] = [["old"], ["old", "next"], ["next", "old"], ["next"]] as const;
  const at = { accountId: "demo", id: `conv_${++count}` };
  await storeWith(first).save(at, conversation, unbounded);
  const addTo = (store: ConversationStore, ...texts: readonly string[]) =>
    store.add(at, { items: texts.map((text) => user(text)), newId, memory: unbounded });
  await addTo(storeWith(first), "One", "Two");
  const readLast = async () => ({
    ...(await storeWith(last).find(at)),
    texts: (await storeWith(last).readAll(at, unbounded)).map((item) => JSON.stringify(item["content"])),
  });
  return { at, addTo, readLast, before: storeWith(before), after: storeWith(after), last: storeWith(last) };
}

test("a reference to an item of the conversation adds nothing, and one to another item keeps its id", async () => {
  const { add, readAll } = await open();
  await add(user("One", "msg_1"));
  const added = await add({ type: "item_reference", id: "msg_1" }, { id: "msg_2" }, user("Two", "msg_3"));
  expect(added).toMatchObject({ verdict: "added", items: [{ id: "msg_2" }, { id: "msg_3" }] });
  expect(await readAll(false, 9)).toMatchObject([
    { type: "message", id: "msg_1" },
    { type: "item_reference", id: "msg_2" },
    { type: "message", id: "msg_3" },
  ]);
});

test("a turn that does not fit marks the conversation as full until an item is removed", async () => {
  const { store, at, add } = await open();
  await add(user("One", "one"));
  const tooMany = Array.from({ length: limits.maxItems }, () => user("More"));
  const canTakeTurn = async (newItems: number) => Array.isArray(await store.readForTurn(at, newItems, unbounded));
  expect((await add(...tooMany)).verdict).toBe("full");
  expect([await canTakeTurn(limits.maxItems), await canTakeTurn(limits.maxItems - 1)]).toEqual([false, true]);
  const turn = { items: tooMany, newId, memory: unbounded, isTurn: true };
  expect((await store.add(at, turn)).verdict).toBe("full");
  expect(await canTakeTurn(1)).toBe(false);
  expect(await store.removeItem(at, "one", unbounded)).toBe(true);
  expect(await canTakeTurn(1)).toBe(true);
});

test.each<[string, (head: string) => Promise<unknown>, Limits, boolean]>([
  ["items were added", (head) => redis.hincrby(head, "bytes", 9), limits, true],
  ["a version without the mark has removed items", (head) => redis.hincrby(head, "bytes", -9), limits, false],
  ["the limit was raised", () => Promise.resolve(), { ...limits, maxItems: limits.maxItems + 9 }, false],
  ["another limit was raised", () => Promise.resolve(), { ...limits, maxBytes: limits.maxBytes + 9 }, true],
])("the mark of a full conversation after %s", async (_, change, later, isFull) => {
  const { store, at } = await open();
  const items = Array.from({ length: limits.maxItems + 1 }, () => user("More"));
  expect((await store.add(at, { items, newId, memory: unbounded, isTurn: true })).verdict).toBe("full");
  await change(keysOf(at).head);
  expect((await storeWith(["a secret"], later).readForTurn(at, 1, unbounded)) === "full").toBe(isFull);
});

test("a conversation without a secret is encrypted before its turn, whose addition needs no memory", async () => {
  const { at, addTo, after, readLast } = await openRotation();
  await redis.hdel(keysOf(at).head, "secret"); // as the version before stored it
  const full = new Error("no room");
  const noMemory = {
    add: () => {
      throw full;
    },
  };
  const add = () => after.add(at, { items: [user("Three")], newId, memory: noMemory });
  await expect(add()).rejects.toBe(full);
  let bytes = 0;
  const items = (await after.readForTurn(at, 1, { add: (added) => void (bytes += added) })) ?? [];
  expect(items).toHaveLength(2);
  expect(bytes).toBe(JSON.stringify(items[0]).length + JSON.stringify(items[1]).length);
  expect(await add()).toMatchObject({ verdict: "added" });
  expect((await addTo(after, "Four")).verdict).toBe("added");
  expect((await readLast()).texts).toHaveLength(4);
});

test("a change of metadata that fails changes no quota", async () => {
  const { at, last } = await openRotation();
  const sizes = () => redis.hgetall(`content-sizes:{s${shardOf("demo")}}:demo`);
  const before = await sizes();
  const metadata = { topic: "x".repeat(500) };
  await expect(last.save(at, { createdAt: 1, metadata }, unbounded)).rejects.toThrow(Failure);
  expect(await sizes()).toEqual(before);
});

test.each<[string, (rotation: Awaited<ReturnType<typeof openRotation>>) => Promise<unknown>, number]>([
  ["a turn is added", ({ addTo, after }) => addTo(after, "Three"), 3],
  ["its metadata is replaced", ({ after, at }) => after.save(at, conversation, unbounded), 2],
])("a conversation survives a rotation of the secret if meanwhile %s", async (_, use, items) => {
  const rotation = await openRotation();
  await use(rotation);
  const { texts, ...rest } = await rotation.readLast();
  expect(rest).toEqual(conversation);
  expect(texts).toHaveLength(items);
  const { head, list, ids } = keysOf(rotation.at);
  for (const key of [head, list, ids]) expect(await redis.pttl(key)).toBeGreaterThan(0);
  expect((await rotation.addTo(rotation.last, "Later")).verdict).toBe("added");
});

test.each<[string, JsonObject]>([
  ["text", user("x".repeat(9_000))],
  [
    "a compaction",
    { type: "compaction", encrypted_content: makeCompactionCipher(["old"]).encrypt("demo", "y".repeat(9_000)) },
  ],
])("encryption with another secret keeps ids, sizes and quota: %s", async (_, item) => {
  const { at, addTo, before, after, last } = await openRotation();
  await before.add(at, { items: [item], newId, memory: unbounded });
  await addTo(before, "Last");
  const { head, list, ids } = keysOf(at);
  const state = async () => ({
    sizes: await redis.hmget(head, "textBytes", "values", "members"),
    ids: await redis.lrange(ids, 0, -1),
    isCounted: (await redis.hget(head, "bytes")) === (await redis.hget(head, "indexed")),
    isInQuota:
      (await redis.hget(head, "bytes")) === (await redis.hget(`content-sizes:{s${shardOf("demo")}}:demo`, list)),
  });
  const stored = await state();
  await after.save(at, { createdAt: 1, metadata: { topic: "cars" } }, unbounded);
  expect(await state()).toEqual(stored);
  expect(stored).toMatchObject({ isCounted: true, isInQuota: true });
  expect(await last.readAll(at, unbounded)).toHaveLength(4);
  expect(await last.find(at)).toEqual({ createdAt: 1, metadata: { topic: "cars" } });
});

test("compactions in a conversation survive a rotation of the secret, also one that a client adds meanwhile", async () => {
  const { at, before, after, last } = await openRotation();
  const sealed = makeCompactionCipher(["old"]).encrypt("demo", "what was said");
  const compaction = { type: "compaction", encrypted_content: sealed };
  for (const store of [before, after]) await store.add(at, { items: [compaction], newId, memory: unbounded });
  const items = (await last.readAll(at, unbounded)).filter(({ type }) => type === "compaction");
  const summaries = items.map((item) =>
    makeCompactionCipher(["next"]).decrypt("demo", String(item["encrypted_content"])),
  );
  expect(summaries).toEqual(["what was said", "what was said"]);
});

test("a conversation survives a rotation in which processes of both steps use it at the same time", async () => {
  const { addTo, at, readLast, before, after } = await openRotation();
  // Each change conflicts with at most one other change, so the limited attempts suffice on a slow machine, too.
  for (let time = 0; time < 10; time++) {
    await Promise.all([before, after].map((store) => addTo(store, "Again")));
    await Promise.all([before, after].map((store) => store.save(at, conversation, unbounded)));
  }
  await addTo(after, "Last");
  const { texts, ...rest } = await readLast();
  expect(rest).toEqual(conversation);
  expect(texts).toHaveLength(23);
});

test("a conversation of a secret that is not accepted is refused and logged, and can be removed", async () => {
  const { at, addTo, last } = await openRotation();
  const range = { newestFirst: false, limit: 10 };
  const refused = {
    code: "conversation_not_found",
    message: expect.stringContaining("cannot be decrypted"),
  };
  warn.mockClear();
  await expect(last.find(at)).rejects.toMatchObject(refused);
  expect(warn.mock.calls).toEqual([
    [{ key: keysOf(at).head }, "a conversation is refused: no accepted secret decrypts it"],
  ]);
  await expect(last.readAll(at, unbounded)).rejects.toMatchObject(refused);
  await expect(last.read(at, range, unbounded)).rejects.toMatchObject(refused);
  await expect(last.save(at, conversation, unbounded)).rejects.toMatchObject(refused);
  await expect(addTo(last, "Three")).rejects.toMatchObject(refused);
  expect(await last.remove(at)).toBe(true);
});
