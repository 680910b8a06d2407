import { afterAll, beforeAll, expect, test } from "vitest";
import { openContentQuota, type ContentQuota } from "@modelgate/accounts";
import { createLogger, openRedis, type Redis, type Secrets } from "@modelgate/platform";
import { startLocalBackends, until, type LocalBackends } from "@modelgate/testkit";
import { makeCompactionCipher } from "../../src/responses/compaction/compaction-cipher.ts";
import { readEarlierTurns } from "../../src/responses/conversation.ts";
import { makeRecordCipher } from "../../src/responses/record-cipher.ts";
import { openResponseStore, parseStored } from "../../src/responses/stored-response.ts";
import { openTurnStore } from "../../src/responses/turn-store.ts";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const form = { kind: "response", parse: parseStored } as const;
const limits = {
  lifetimeMs: 600_000,
  maxBytes: 1_000_000,
  body: { maxBytes: 1_000_000, values: 1_000, members: 1_000 },
};
const cipher = makeRecordCipher(["a secret"]);
const noMemory = { add: () => undefined };
const turnOf = (text: string) => ({ response: { output: [], text }, input: [], ancestors: [] });

/** Stores a chain of responses that together exceed four times the value limit of a body. */
async function openChain(accountId: string, turns: number) {
  const store = openTurnStore({ redis, quota: openContentQuota(redis, { maxBytes: 1e9 }), cipher }, form, limits);
  const ancestors: string[] = [];
  let bytes = 0;
  for (let turn = 0; turn < turns; turn++) {
    const stored = {
      response: { output: [], status: "completed" },
      input: [{ type: "other", list: Array.from({ length: 900 }, () => 1) }],
      ancestors: [...ancestors],
    };
    await store.save(accountId, `resp_${turn}`, stored, 0);
    ancestors.push(`resp_${turn}`);
    bytes += JSON.stringify(stored).length;
  }
  return { store, bytes, previousId: ancestors.at(-1) ?? "" };
}

test("a chain of responses counts against the values of a body, and the memory of its request", async () => {
  const accountId = "chain";
  const { store, bytes, previousId } = await openChain(accountId, 3);
  let takenBytes = 0;
  const memory = { add: (more: number) => void (takenBytes += more) };
  expect((await readEarlierTurns(store, { accountId, previousId }, memory)).items).toHaveLength(3);
  expect(takenBytes).toBe(bytes);
  const longer = await openChain("longer", 8);
  await expect(
    readEarlierTurns(longer.store, { accountId: "longer", previousId: longer.previousId }, memory),
  ).rejects.toMatchObject({ code: "request_too_large" });
});

test("a new turn can be found while its bytes are still being counted", async () => {
  const counted = Promise.withResolvers<boolean>();
  const quota = Object.assign(openContentQuota(redis, { maxBytes: 1e9 }), {
    setBytes: () => counted.promise,
  } satisfies Partial<ContentQuota>);
  const store = openTurnStore({ redis, quota, cipher }, form, limits);
  const saving = store.save("early", "resp_new", turnOf("new"), 0);
  await until("the turn to be found", async () => (await store.find("early", "resp_new", noMemory)) !== undefined);
  counted.resolve(true);
  expect(await saving).toBe("stored");
});

test("without a share a new turn is removed, and an existing one stays", async () => {
  const store = openTurnStore({ redis, quota: openContentQuota(redis, { maxBytes: 200 }), cipher }, form, limits);
  const large = turnOf(Array.from({ length: 200 }, (_, at) => `${at * 7_919}`).join());
  expect(await store.save("full", "resp_there", turnOf("there"), 0)).toBe("stored");
  for (const id of ["resp_there", "resp_new"]) expect(await store.save("full", id, large, 0)).toBe("full");
  expect(await store.find("full", "resp_there", noMemory)).toMatchObject({ response: { text: "there" } });
  expect(await store.find("full", "resp_new", noMemory)).toBeUndefined();
  expect(await store.save("full", "resp_there", turnOf("other"), 0)).toBe("stored");
  expect(await store.find("full", "resp_there", noMemory)).toMatchObject({ response: { text: "other" } });
});

test("a response that is stored in a rotation has compactions that the new secret alone decrypts", async () => {
  const [old, both, last] = [["old"], ["next", "old"], ["next"]].map(([first = "", ...others]) => {
    const secrets: Secrets = [first, ...others];
    const records = { redis, quota: openContentQuota(redis, { maxBytes: 1e9 }), cipher: makeRecordCipher(secrets) };
    const compactions = makeCompactionCipher(secrets);
    return { compactions, store: openResponseStore(records, compactions, limits) };
  });
  const sealed = old?.compactions.encrypt("demo", "what was said");
  const foreign = { type: "compaction", encrypted_content: "of a vendor" };
  const input = [{ type: "compaction", encrypted_content: sealed }, foreign];
  await both?.store.save("demo", "resp_rotated", { ...turnOf("x"), input }, 0);
  const [compaction, other] = (await last?.store.find("demo", "resp_rotated", noMemory))?.input ?? [];
  expect(last?.compactions.decrypt("demo", String(compaction?.["encrypted_content"]))).toBe("what was said");
  expect(other).toEqual(foreign);
});

test.each([
  [true, "vendor/k"],
  [false, undefined],
  [undefined, undefined],
])("a stored response whose vendor says store: %s is continued there: %s", (store, keptAt) => {
  expect(parseStored({ response: { id: "resp_1", store }, keptAt: "vendor/k" }).keptAt).toBe(keptAt);
});
