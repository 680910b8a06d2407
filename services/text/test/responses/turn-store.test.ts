import { afterAll, beforeAll, expect, test } from "vitest";
import { openContentBook } from "@modelgate/accounts";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { earlierTurns } from "../../src/responses/conversation.ts";
import { openRecordSeal } from "../../src/responses/record-seal.ts";
import { parseStored } from "../../src/responses/stored-response.ts";
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

/** A store with a chain of responses whose inputs have many small parts, all together above the values of four bodies. */
async function openChain(accountId: string, turns: number) {
  const records = { redis, book: openContentBook(redis, { maxBytes: 1e9 }), seal: openRecordSeal(["a secret"]) };
  const body = { maxBytes: 1_000_000, values: 1_000, members: 1_000 };
  const form = { kind: "response", parse: parseStored } as const;
  const store = openTurnStore(records, form, { lifetimeMs: 600_000, maxBytes: 1_000_000, body });
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

test("a chain of responses is read within the values of a body, and into its request's memory", async () => {
  const accountId = "chain";
  const { store, bytes, previousId } = await openChain(accountId, 3);
  let taken = 0;
  const memory = { take: (more: number) => void (taken += more) };
  expect((await earlierTurns(store, { accountId, previousId }, memory)).items).toHaveLength(3);
  expect(taken).toBe(bytes);
  const longer = await openChain("longer", 8);
  await expect(
    earlierTurns(longer.store, { accountId: "longer", previousId: longer.previousId }, memory),
  ).rejects.toMatchObject({ code: "request_too_large" });
});
