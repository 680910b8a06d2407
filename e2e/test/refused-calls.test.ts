import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { another, config, hello, keys, post } from "./suite-client.ts";
import { signInByLink } from "../../services/control/test/console/people.ts";

const emptyKey = "sk-empty-0123456789abcdef";
/** Key whose daily budget is below the price of a call. */
const budgetedKey = "sk-budgeted-0123456789abcdef";
let suite: Suite;
beforeAll(async () => {
  const empty = { balance: "0.00", tokens: [{ key: emptyKey, group: "default" }] };
  const budgeted = {
    balance: "1.00",
    tokens: [{ key: budgetedKey, group: "default", budget: { dollarsPerDay: 0.0005 } }],
  };
  suite = await startSuite({ config: { ...config, accounts: { ...config.accounts, empty, budgeted } } });
  await suite.ask("channel", "disable", "other");
});
afterAll(() => suite?.[Symbol.asyncDispose]());

interface Shown {
  readonly events: readonly object[];
  readonly refused: readonly object[];
}

function shown(requestId: string): Promise<Shown> {
  return until(`gatectl to show ${requestId}`, async () => {
    const { status, stdout } = await suite.gatectl("usage", "show", requestId, "--json");
    const found: Shown | undefined = status === 0 ? JSON.parse(stdout) : undefined;
    return found;
  });
}

async function call(body: unknown, key: string = keys.demo): Promise<readonly [status: number, requestId: string]> {
  const answer = await post(suite, body, key);
  await answer.text();
  return [answer.status, answer.headers.get("x-request-id") ?? ""];
}

test.concurrent.each([
  ["an unknown model", hello("no-such-model"), keys.demo, 404, "model_not_found", "demo"],
  ["a model that the key may not use", hello("fixed"), keys.narrow, 403, "model_not_allowed", "demo"],
  ["a disabled key", hello("chat"), keys.disabled, 401, "api_key_disabled", "demo"],
  ["an expired key", hello("chat"), keys.expired, 401, "api_key_expired", "demo"],
  ["no balance", hello("chat"), emptyKey, 402, "insufficient_quota", "empty"],
  [
    "an insufficient balance",
    { ...hello("chat", "Hello ".repeat(9_000)), max_tokens: 16_000 },
    keys.poor,
    402,
    "insufficient_quota",
    "poor",
  ],
  ["a key's daily budget", hello("fixed"), budgetedKey, 402, "insufficient_quota", "budgeted"],
  ["an invalid field", { ...hello("chat"), messages: "my secret" }, keys.demo, 400, "invalid_value", "demo"],
] as const)("%s is found by its request id", async (_, body, key, status, code, accountId) => {
  const [answered, requestId] = await call(body, key);
  expect(answered).toBe(status);
  const { events, refused } = await shown(requestId);
  expect(events).toEqual([]);
  expect(refused).toMatchObject([
    { requestId, accountId, status, code, endpoint: "POST /v1/chat/completions", calls: 1 },
  ]);
  expect(JSON.stringify(refused)).not.toContain("my secret");
});

test.concurrent("a refusal names the model, the field and the limit", async () => {
  const [, unknown] = await call(hello("no-such-model"));
  expect((await shown(unknown)).refused).toMatchObject([{ model: "no-such-model", param: "model" }]);
  const answers = [];
  for (let at = 0; at < 4; at++) answers.push(await call(another("chat"), keys.slow));
  const limited = answers.find(([status]) => status === 429)?.[1] ?? "";
  const { refused } = await shown(limited);
  expect(refused).toMatchObject([{ status: 429, code: "rate_limit_exceeded", message: expect.stringContaining("2") }]);
  expect((await suite.gatectl("usage", "show", limited)).stdout).toMatch(/Refused, at no cost:[^]*rate_limit_exceeded/);
});

test.concurrent("a call whose channel is disabled is found once, and so is one that failed at its vendor", async () => {
  const [status, requestId] = await call(another("renamed"));
  expect(status).toBe(503);
  const { events, refused } = await shown(requestId);
  expect([events.length, refused.length]).toEqual([1, 0]);
  expect(events).toMatchObject([{ requestId, status, outcome: "failed", costNanos: "0" }]);
});

test.concurrent("an unknown request is not found, and the usage list includes refused calls", async () => {
  const [, requestId] = await call(hello("no-such-model"));
  await shown(requestId);
  const listed = await suite.ask<Shown>("usage", "list", "--request-id", requestId);
  expect(listed).toMatchObject({ events: [], refused: [{ requestId }] });
  expect(await suite.ask("usage", "list", "--outcome", "completed")).toMatchObject({ refused: [] });
  const never = await suite.gatectl("usage", "show", "req_never");
  expect([never.status, never.stderr]).toEqual([1, expect.stringContaining("No call has the request id")]);
});

test.concurrent("a member of an account sees its refused calls and no others", async () => {
  const [, own] = await call(hello("chat"), emptyKey);
  const [, others] = await call(hello("no-such-model"));
  await Promise.all([shown(own), shown(others)]);
  const member = await signInByLink(suite, "viewer", "empty");
  const read = (query: string) => member.get(`/usage/refused?${query}`);
  expect((await read(`request-id=${own}`)).data.refused).toMatchObject([{ requestId: own }]);
  expect(JSON.stringify((await read("")).data)).not.toContain(others);
  expect((await read("account=demo")).status).toBe(404);
});

test.concurrent("a refused response on a WebSocket is found by the request id of its connection", async () => {
  const requestId = "refused-on-a-socket";
  const socket = new WebSocket(`${suite.edgeUrl.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${keys.demo}`, "x-request-id": requestId },
  });
  const answered = new Promise((resolve) => socket.once("message", resolve));
  socket.on("open", () =>
    socket.send(JSON.stringify({ type: "response.create", model: "no-such-model", input: "Hi" })),
  );
  await answered;
  socket.close();
  expect((await shown(requestId)).refused).toMatchObject([
    { code: "model_not_found", model: "no-such-model", endpoint: "POST /v1/responses" },
  ]);
});
