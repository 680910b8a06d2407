import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { recordRefusal, type CallFacts, type ServiceCall } from "../src/area-handler.ts";
import { createLogger, openRedis, RefusedCalls, takeRefusedCalls, type Redis } from "../src/index.ts";
import { ClientDisconnected } from "../src/read-body.ts";

const { log } = createLogger("test", "silent");
let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(async () => void (await redis.flushall()));

const request = { requestId: "req_1", accountId: "acme", tokenId: "tok_1", endpoint: "POST /v1/chat/completions" };

/** Publishes refused calls, and reads them as a ledger does. */
async function published(add: (refused: RefusedCalls) => void) {
  const refused = new RefusedCalls(redis);
  add(refused);
  await refused[Symbol.asyncDispose]();
  return takeRefusedCalls(redis, 10_000);
}

test("a refused call is read once, with its code and field", async () => {
  const publishedCalls = await published((refused) =>
    refused.add({ ...request, model: "gpt-x" }, new Failure("model_not_found", undefined, { param: "model" })),
  );
  expect(publishedCalls).toEqual([
    {
      call: {
        ...request,
        model: "gpt-x",
        id: expect.stringMatching(/^ref_/),
        time: expect.any(String),
        status: 404,
        code: "model_not_found",
        param: "model",
      },
      calls: 1,
    },
  ]);
  expect(await takeRefusedCalls(redis, 10_000)).toEqual([]);
});

test("a call that a budget refused is read with the budget's id", async () => {
  const publishedCalls = await published((refused) => {
    refused.add(request, new Failure("insufficient_quota", "too low", { budget: "bud_1" }));
    refused.add(request, new Failure("insufficient_quota"));
  });
  expect(publishedCalls.map(({ budget }) => budget)).toEqual(["bud_1", undefined]);
});

test("only messages about keys, limits and balances are stored, and names are on one line", async () => {
  const publishedCalls = await published((refused) => {
    refused.add(request, new Failure("insufficient_quota", "The budget of\u001b[31m a day is spent."));
    refused.add(request, new Failure("invalid_value", 'content "my secret" is wrong.', { param: "a\nb\u202Ec" }));
    refused.add({ ...request, model: `m${"x".repeat(1_000)}` }, new Failure("model_not_found"));
  });
  expect(publishedCalls.map(({ call: { message, param, model } }) => [message, param, model?.length])).toEqual([
    ["The budget of [31m a day is spent.", undefined, undefined],
    [undefined, "a b c", undefined],
    [undefined, undefined, 200],
  ]);
});

test("an account with endless refusals is counted, and another account's refusal is not lost", async () => {
  const publishedCalls = await published((refused) => {
    for (let at = 0; at < 5_000; at++) refused.add(request, new Failure("rate_limit_exceeded"));
    refused.add({ ...request, accountId: "other" }, new Failure("rate_limit_exceeded"));
  });
  const ofAcme = publishedCalls.filter(({ call }) => call.accountId === "acme");
  expect(ofAcme).toHaveLength(20);
  expect(ofAcme.reduce((sum, { calls }) => sum + calls, 0)).toBe(5_000);
  expect(publishedCalls.filter(({ call }) => call.accountId === "other")).toHaveLength(1);
});

test("refusals that no ledger reads are limited, and the newest are kept", async () => {
  const old = JSON.stringify({ call: { ...request, id: "old", time: "", status: 429, code: "" }, calls: 1 });
  await redis.rpush("refused-calls", ...Array.from({ length: 10_000 }, () => old));
  const publishedCalls = await published((refused) => refused.add(request, new Failure("rate_limit_exceeded")));
  expect(publishedCalls).toHaveLength(10_000);
  expect(publishedCalls.at(-1)?.call.code).toBe("rate_limit_exceeded");
});

test.each<[string, CallFacts, unknown, number]>([
  ["a refused call", {}, new Failure("model_not_found"), 1],
  ["one whose failure has a usage event", { isBooked: true }, new Failure("upstream_error"), 0],
  ["one whose client disconnected", {}, new ClientDisconnected("left"), 0],
  ["an internal error, without details", {}, new Error("secret"), 1],
])("%s is recorded the expected number of times: %#", async (_, facts, error, times) => {
  const caller = { accountId: "acme", tokenId: "tok_1", group: "default", requestId: "req_1", expiresAt: 0 };
  const call: Pick<ServiceCall, "caller" | "facts" | "id" | "requestId"> = {
    caller,
    facts,
    id: "chatCompletions",
    requestId: "req_1",
  };
  const publishedCalls = await published((refused) => recordRefusal(refused, call, error));
  expect(publishedCalls).toHaveLength(times);
  expect(JSON.stringify(publishedCalls)).not.toContain("secret");
});
