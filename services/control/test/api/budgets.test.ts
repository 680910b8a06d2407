import { createAccount, writeEpoch } from "@modelgate/accounts";
import { publishedKey } from "@modelgate/catalog";
import { startBackends, type Backends } from "@modelgate/testkit";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { budgetRoutes } from "../../src/api/budgets.ts";
import { ledgerAt, type Ledger } from "../../src/ledger.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  await writeEpoch(redis, "of this test");
  await createAccount(redis, { id: "acme", balance: 0n });
  const models = { chat: { kind: "chat" }, split: { kind: "chat", shares: { chat: 1 } } };
  const publishedAt = new Date().toISOString();
  const groups = { default: { models: ["*"] } };
  await redis.set(publishedKey, JSON.stringify({ version: "v", publishedAt, groups, models, channels: [] }));
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

/** Creates a budget. Returns the stored scope. */
async function create(scope: string): Promise<unknown> {
  const written: unknown[] = [];
  const ledger: Ledger = {
    ...ledgerAt("http://127.0.0.1:1", "a secret of this test alone"),
    read: async <T>() => [{ id: "acme-inc" }] as T,
    write: async (_path, body) => {
      written.push(Reflect.get(Object(Reflect.get(body, "budget")), "scope"));
      throw stored;
    },
  };
  const answer = budgetRoutes(redis, ledger)["POST /accounts/{id}/budgets"]?.({
    operator: { name: "test", role: "operator" },
    headers: {},
    address: "",
    params: { id: "acme" },
    query: new URLSearchParams(),
    body: { scope, period: "total", amount: "1" },
    actor: "test",
  });
  await answer?.catch((error: unknown) => {
    if (error !== stored) throw error;
  });
  return written[0];
}
const stored = new Error("the test ends here");

test.each([
  ["tag:team=search", "tag:team=search"],
  ["tag: team = search ", "tag:team=search"],
  ["tag:team= a b", "tag:team=a b"],
  ["model:chat", "model:chat"],
  ["group:default", "group:default"],
  ["account", "account"],
  ["organisation:acme-inc", "organisation:acme-inc"],
])("a budget of %j is stored with the scope of its calls", async (scope, expected) => {
  expect(await create(scope)).toBe(expected);
});

test.each(["organisation:other", "organisation:", "organisation"])("a budget of %j is refused", async (scope) => {
  await expect(create(scope)).rejects.toMatchObject({ code: "invalid_value", param: "scope" });
});

test("a budget of a split model is refused, because its calls count for other models", async () => {
  await expect(create("model:split")).rejects.toMatchObject({ code: "invalid_value", param: "scope" });
});
