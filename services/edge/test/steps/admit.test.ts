import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAccount, writeEpoch, type Token } from "@modelgate/accounts";
import { openCatalog, publishConfiguration, type CatalogHandle } from "@modelgate/catalog";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalBackends, until, type LocalBackends } from "@modelgate/testkit";
import { openSeats, type OpenSeats } from "../../src/open-seats.ts";
import { SharedCallers } from "../../src/shared-callers.ts";
import { admit } from "../../src/steps/admit.ts";
import { matchEndpoint } from "../../src/steps/endpoint.ts";
import { callOf, run, type Call } from "./call.ts";

const { log } = createLogger("test", "silent");
const secret = "a secret of some length";
let backends: LocalBackends;
let redis: Redis;
let catalog: CatalogHandle;
let seats: OpenSeats;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, log);
});
beforeEach(async () => {
  await redis.flushall();
  await writeEpoch(redis, "of these tests");
  await createAccount(redis, { id: "account-1", balance: 1_000n });
  const limits = { requestsPerMinute: 600, concurrency: 1, tokensPerMinute: 100, dollarsPerDay: 1 };
  const groups = { all: { models: ["*"] }, small: { models: ["*"], limits } };
  await publishConfiguration(redis, { groups, models: {} }, [], [secret]);
  catalog = await openCatalog({ redis, secrets: [secret], log });
  seats = openSeats({ redis, log, leaseMs: 30_000 });
  return async () => {
    seats[Symbol.dispose]();
    await catalog[Symbol.asyncDispose]();
  };
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

async function known(group: string, more: Partial<Token> = {}): Promise<Call> {
  const call = callOf({ method: "GET", path: "/v1/models" });
  await run(call, matchEndpoint);
  const token: Token = {
    id: "token-1",
    accountId: "account-1",
    group,
    name: "a token",
    disabled: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    hint: "sk-a…z",
    ...more,
  };
  call.context.token = token;
  return call;
}
const letIn = (call: Call): Promise<boolean> =>
  run(call, admit({ redis, catalog, seats, callers: new SharedCallers(secret) }));

test("a call is admitted, with the caller's headers for services", async () => {
  const call = await known("small");
  call.context.tags = { team: "a" };
  call.context.clientAddress = "192.0.2.7";
  expect(await letIn(call)).toBe(true);
  expect(call.context.caller).toEqual({
    accountId: "account-1",
    tokenId: "token-1",
    group: "small",
    requestId: "",
    tokensPerMinute: 100,
    budgets: { groupPerDay: "1000000000" },
    format: "common",
    tags: { team: "a" },
    clientAddress: "192.0.2.7",
    expiresAt: expect.any(Number),
  });
});

test("its answer has the limits, and its seat is held until it closes", async () => {
  const call = await known("small");
  await letIn(call);
  expect(call.response.getHeaders()).toMatchObject({
    "x-ratelimit-limit-requests": 600,
    "x-ratelimit-remaining-requests": 599,
    "x-ratelimit-limit-tokens": 100,
  });
  await expect(letIn(await known("small"))).rejects.toMatchObject({ status: 429 });
  call.response.emit("close");
  await until("the seat to be released", async () => letIn(await known("small")).catch(() => false));
});

test("keys that members created in a group share its limits", async () => {
  const [one, other] = [{ id: "token-2", ofMember: true } as const, { id: "token-3", ofMember: true } as const];
  const call = await known("small", one);
  await letIn(call);
  expect(call.context.caller).toMatchObject({ tokenId: "token-2", limitsId: "members:small" });
  await expect(letIn(await known("small", other))).rejects.toMatchObject({
    status: 429,
    message: "The keys that members created in this key's group are together limited to 1 calls at the same time.",
  });
  expect(await letIn(await known("small"))).toBe(true); // an operator's key has separate limits
});

test("a key has a limit of requests per day, whose refusal names it", async () => {
  const limited = { id: "token-4", budget: { requestsPerDay: 1 } };
  expect(await letIn(await known("all", limited))).toBe(true);
  await expect(letIn(await known("all", limited))).rejects.toMatchObject({
    status: 429,
    message: expect.stringMatching(/^This key, with the keys that share its limit, is limited to 1 requests per day/),
  });
  expect(await letIn(await known("all"))).toBe(true);
});

test("a group without limits sets no headers", async () => {
  const call = await known("all");
  await letIn(call);
  expect(Object.keys(call.response.getHeaders())).toEqual(["x-request-id"]);
});

test("a key of a removed group is refused", async () => {
  await expect(letIn(await known("gone"))).rejects.toMatchObject({ code: "group_not_allowed" });
});
