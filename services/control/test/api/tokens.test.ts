import {
  createAccount,
  keyDigest,
  findUsedToken,
  makeToken,
  newKey,
  writeTokenToRedis,
  writeEpoch,
  type Token,
} from "@modelgate/accounts";
import { startBackends, type Backends } from "@modelgate/testkit";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenRotationRoutes } from "../../src/api/token-rotation.ts";
import { tokenRoutes } from "../../src/api/tokens.ts";
import { ledgerAt, type Ledger } from "../../src/ledger.ts";

let backends: Backends;
let redis: Redis;
let firstKey: Token;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  await writeEpoch(redis, "of this test");
  await createAccount(redis, { id: "acme", balance: 0n });
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  await writeTokenToRedis(redis, digest, token);
  firstKey = token;
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

/** Creates an API key as a member of an account, or as an operator. Returns control's request to the ledger. */
async function requestOf(account: string | undefined): Promise<Parameters<Ledger["createToken"]>[0]> {
  const requests: Parameters<Ledger["createToken"]>[0][] = [];
  const ledger: Ledger = {
    ...ledgerAt("http://127.0.0.1:1", "a secret of this test alone"),
    createToken: async (request) => {
      requests.push(request);
      return { token: request.token, created: true };
    },
  };
  await tokenRoutes(redis, ledger)["POST /accounts/{id}/tokens"]?.({
    operator: { name: "test", role: "operator", ...(account === undefined ? {} : { account }) },
    headers: {},
    address: "",
    params: { id: "acme" },
    query: new URLSearchParams(),
    body: { group: "default" },
    actor: "test",
  });
  const [request] = requests;
  if (request === undefined) throw new Error("the ledger got no request");
  return request;
}

test("an account can have 200 keys if a member creates one, and 10,000 if an operator does", async () => {
  // A budget may name the operator's key, so `within` is stored even without a budget.
  const ofMember = { ofMember: true, within: { id: firstKey.id } };
  expect(await requestOf("acme")).toMatchObject({ max: 200, token: ofMember });
  const byOperator = await requestOf(undefined);
  expect(byOperator.max).toBe(10_000);
  expect(byOperator.token).not.toHaveProperty("ofMember");
});

/** Calls a route for a token. Returns the answer and the requests to the ledger. */
async function callToken(route: string, { id }: Token, { account, body = {} }: { account?: string; body?: object }) {
  const ledgerRequests: unknown[] = [];
  const found = { id, accountId: "acme", group: "default", name: "n", disabled: false, createdAt: "", hint: "" };
  const ledger: Ledger = {
    ...ledgerAt("http://127.0.0.1:1", "a secret of this test alone"),
    rotateToken: async (token, options) => {
      ledgerRequests.push({ token, ...options });
      return found;
    },
    deleteToken: async (token) => {
      ledgerRequests.push({ token });
      return found;
    },
    changeToken: async (token, change) => {
      ledgerRequests.push({ token, ...change });
      return found;
    },
  };
  const routes = { ...tokenRoutes(redis, ledger), ...tokenRotationRoutes(redis, ledger) };
  const answer = await routes[route]?.({
    operator: { name: "test", role: "operator", ...(account === undefined ? {} : { account }) },
    headers: {},
    address: "",
    params: { id },
    query: new URLSearchParams(),
    body,
    actor: "test",
  });
  return { answer, ledgerRequests };
}

/** Stores an API key of a member or an operator in Redis. */
async function keyOf(ofMember: boolean): Promise<Token> {
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  const stored = ofMember ? { ...token, ofMember: true as const } : token;
  await writeTokenToRedis(redis, digest, stored);
  return stored;
}

const [rotate, remove] = ["POST /tokens/{id}/rotate", "POST /tokens/{id}/delete"];

test("a rotation answers the new key, whose digest goes to the ledger, with a grace period of 7 days", async () => {
  for (const account of ["acme", undefined]) {
    const { answer, ledgerRequests } = await callToken(
      rotate,
      await keyOf(false),
      account === undefined ? {} : { account },
    );
    const key = String(Reflect.get(Object(answer), "key"));
    expect(key).toMatch(/^sk-/);
    expect(ledgerRequests).toMatchObject([
      { digest: keyDigest(key), hint: `${key.slice(0, 6)}…${key.slice(-3)}`, graceSeconds: 604_800 },
    ]);
  }
  const token = await keyOf(true);
  expect((await callToken(rotate, token, { body: { graceSeconds: 0 } })).ledgerRequests).toMatchObject([
    { graceSeconds: 0 },
  ]);
  for (const graceSeconds of [90 * 86_400 + 1, -1, 1.5, "7d"])
    await expect(callToken(rotate, token, { body: { graceSeconds } })).rejects.toMatchObject({
      code: "invalid_value",
      param: "graceSeconds",
    });
});

test("a rotation period is 1 to 365 days, and members only shorten the period of an operator's key", async () => {
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default", rotateAfterDays: 90 });
  await writeTokenToRedis(redis, digest, token);
  const set = (rotateAfterDays: unknown, by: { account?: string } = {}) =>
    callToken("POST /tokens/{id}", token, { ...by, body: { rotateAfterDays } });
  for (const [by, days] of [
    [{}, 365],
    [{}, 1],
    [{}, null],
    [{ account: "acme" }, 90],
    [{ account: "acme" }, 30],
  ] as const)
    expect((await set(days, by)).ledgerRequests).toMatchObject([{ rotateAfterDays: days }]);
  for (const [by, days] of [
    [{}, 366],
    [{}, 0],
    [{}, 1.5],
    [{}, "90"],
    [{ account: "acme" }, 91],
    [{ account: "acme" }, null],
  ] as const)
    await expect(set(days, by), `${days}`).rejects.toMatchObject({ code: "invalid_value", param: "rotateAfterDays" });
});

test("a key's requests per day are set with its budgets, and members only lower those of an operator's key", async () => {
  const budget = { perDay: "1000000000", requestsPerDay: 100 };
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default", budget });
  await writeTokenToRedis(redis, digest, token);
  const set = (requestsPerDay: unknown, by: { account?: string } = {}) =>
    callToken("POST /tokens/{id}", token, { ...by, body: { requestsPerDay } });
  expect((await set(500)).ledgerRequests).toMatchObject([{ budget: { perDay: "1000000000", requestsPerDay: 500 } }]);
  expect((await set(null)).ledgerRequests).toEqual([expect.objectContaining({ budget: { perDay: "1000000000" } })]);
  expect((await set(50, { account: "acme" })).ledgerRequests).toMatchObject([{ budget: { requestsPerDay: 50 } }]);
  for (const [by, limit] of [
    [{}, 0],
    [{}, 1.5],
    [{ account: "acme" }, 101],
    [{ account: "acme" }, null],
  ] as const)
    await expect(set(limit, by), `${limit}`).rejects.toMatchObject({ code: "invalid_value", param: "requestsPerDay" });
});

test("a name is removed by null, and kept by a change without it", async () => {
  const token = await keyOf(false);
  const set = async (body: object) => (await callToken("POST /tokens/{id}", token, { body })).ledgerRequests;
  expect(await set({ name: null })).toMatchObject([{ name: null }]);
  expect(await set({ group: "default" })).toEqual([expect.not.objectContaining({ name: null })]);
});

test.each([
  ["a new name", { name: "renamed" }, false],
  ["fewer requests", { requestsPerDay: 10 }, false],
  ["a lower budget", { dollarsPerMonth: "50" }, false],
  ["a budget above the shared one", { dollarsPerMonth: "101" }, true],
  ["no budget", { dollarsPerMonth: null }, true],
])("%s of a member's key, set by an operator: %j, removed from the shared budget: %s", async (...row) => {
  const [, body, isRemoved] = row;
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  const perMonth = { perMonth: "100000000000" };
  const member = { ...token, ofMember: true, budget: perMonth, within: { id: firstKey.id, ...perMonth } } as const;
  await writeTokenToRedis(redis, digest, member);
  const [request] = (await callToken("POST /tokens/{id}", token, { body })).ledgerRequests;
  expect(request).toMatchObject({ ofMember: null });
  expect(Object.hasOwn(Object(request), "within")).toBe(isRemoved);
});

test("nobody changes or rotates a key of a playground; it can be disabled and deleted", async () => {
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  await writeTokenToRedis(redis, digest, { ...token, ofMember: true, playgroundOf: "mia" });
  for (const by of [{}, { account: "acme" }]) {
    for (const route of [rotate, "POST /tokens/{id}", "POST /tokens/{id}/expire"])
      await expect(callToken(route, token, by), route).rejects.toMatchObject({ code: "permission_denied" });
    expect((await callToken("POST /tokens/{id}/disable", token, by)).ledgerRequests).toMatchObject([
      { disabled: true },
    ]);
    expect((await callToken(remove, token, by)).ledgerRequests).toEqual([{ token: token.id }]);
  }
});

test("members can delete only members' keys, and none of another account", async () => {
  const [own, operators] = [await keyOf(true), await keyOf(false)];
  expect((await callToken(remove, own, { account: "acme" })).ledgerRequests).toEqual([{ token: own.id }]);
  await expect(callToken(remove, operators, { account: "acme" })).rejects.toMatchObject({ code: "permission_denied" });
  expect((await callToken(remove, operators, {})).ledgerRequests).toHaveLength(1);
  for (const route of [rotate, remove])
    await expect(callToken(route, own, { account: "rival" })).rejects.toMatchObject({ code: "unknown_url" });
});

test("a key whose budget a member's key shares is not deleted", async () => {
  const operators = await keyOf(false);
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  await writeTokenToRedis(redis, digest, { ...token, ofMember: true, within: { id: operators.id, perDay: "1000" } });
  await expect(callToken(remove, operators, {})).rejects.toMatchObject({ code: "invalid_value", param: "id" });
  expect((await callToken(remove, token, {})).ledgerRequests).toHaveLength(1);
  await writeTokenToRedis(redis, digest, { ...token, version: 2, ofMember: true, within: { id: operators.id } });
  expect((await callToken(remove, operators, {})).ledgerRequests).toHaveLength(1);
});

test("the old key's last use is shown with the token", async () => {
  const [old, current] = [newKey(), newKey()].map(keyDigest);
  const { token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  const [replacedAt, expiresAt] = [new Date().toISOString(), new Date(Date.now() + 60_000).toISOString()];
  const previous = { hint: "sk-old", replacedAt, expiresAt };
  await writeTokenToRedis(redis, current ?? "", { ...token, version: 2, previous }, [
    { digest: old ?? "", replacedAt, expiresAt },
  ]);
  await findUsedToken(redis, old ?? "");
  const { answer } = await callToken("GET /tokens/{id}", token, {});
  expect(answer).toMatchObject({ previous: { hint: "sk-old", expiresAt, lastUsedAt: expect.any(String) } });
});
