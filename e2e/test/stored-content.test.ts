import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { channel, config as baseConfig, hello, keys, money, rival } from "./suite-client.ts";
import { askOperator } from "./operator.ts";
import { handshake, openSession, price, refusal } from "./realtime-client.ts";

const broke = "sk-broke-0123456789abcdef";
const drained = "sk-drained-0123456789abcdef";
let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...baseConfig,
      groups: { ...baseConfig.groups, texts: { models: ["chat"] } },
      models: { ...baseConfig.models, live: { kind: "realtime", price }, other: { kind: "realtime", price } },
      channels: [...baseConfig.channels, channel("voice", ["live", "other"])],
      accounts: {
        ...baseConfig.accounts,
        rival: rival.account,
        broke: { balance: "0", tokens: [{ key: broke, group: "default" }] },
        // The balance covers one call at the fixed price.
        drained: { balance: "0.001", tokens: [{ key: drained, group: "default" }] },
      },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

async function call(path: string, body: object, key: string = keys.demo) {
  const answer = await fetch(suite.edgeUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text), code: JSON.parse(text).error?.code };
}

const items = [{ type: "message", role: "user", content: "Hello" }];
const secret = { session: { type: "realtime", model: "live" } };

test.each([
  ["/v1/conversations", { items: [] }],
  ["/v1/realtime/client_secrets", secret],
])("an account without a balance stores nothing: %s", async (path, body) => {
  expect(await call(path, body, broke)).toMatchObject({ status: 402, code: "insufficient_quota" });
});

test("an account without a balance opens no WebSocket for responses", async () => {
  const refused = await refusal(suite, "/v1/responses", { ...handshake, authorization: `Bearer ${broke}` });
  expect(refused).toMatchObject({ status: 402, body: { error: { code: "insufficient_quota" } } });
});

test("an account without a balance cannot add items", async () => {
  const { body: conversation } = await call("/v1/conversations", { items: [] }, drained);
  expect((await call("/v1/chat/completions", hello("fixed"), drained)).status).toBe(200);
  await until("the balance to be spent", async () => (await money(suite, "drained")).balanceNanos === "0");
  expect(await call(`/v1/conversations/${conversation.id}/items`, { items }, drained)).toMatchObject({
    status: 402,
    code: "insufficient_quota",
  });
});

test.each(["/v1/conversations", "/v1/conversations/{id}/items", "/v1/realtime/client_secrets"])(
  "requests for stored content count against a key's requests per minute: %s",
  async (path) => {
    const { body: conversation } = await call("/v1/conversations", { items: [] }, rival.key);
    const { key } = await suite.ask<{ key: string }>("token", "create", "rival", "--group", "slow");
    const answers = [];
    for (let at = 0; at < 3; at++)
      answers.push(await call(path.replace("{id}", conversation.id), { ...secret, items }, key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.at(-1)).toMatchObject({ code: "rate_limit_exceeded" });
  },
);

test("a client secret is valid no longer than its key, and opens only the models that its key may use now", async () => {
  const created = await suite.ask<{ id: string; key: string }>("token", "create", "demo", "--group", "default");
  const soon = new Date(Date.now() + 120_000);
  await update(created.id, { expiresAt: soon.toISOString() });
  const { body } = await call(
    "/v1/realtime/client_secrets",
    { ...secret, expires_after: { anchor: "created_at", seconds: 3_000 } },
    created.key,
  );
  expect(body.expires_at).toBeLessThanOrEqual(soon.getTime() / 1_000);
  (await openSession(suite, { key: body.value })).socket.close();
  await update(created.id, { models: ["other"] });
  await expect(openSession(suite, { key: body.value })).rejects.toThrow();
});

test.each([
  ["budget", { dollarsPerDay: "0.000001" }, /402/],
  ["group", { group: "texts" }, /40[34]/],
])("a client secret obeys a %s that its key was given later", async (_, change, refused) => {
  const created = await makeKey();
  const { body } = await call("/v1/realtime/client_secrets", secret, created.key);
  await update(created.id, change);
  expect(await untilRefused(body.value)).toMatch(refused);
});

test("a client secret ends with a rotated key that created it", async () => {
  const created = await makeKey();
  const { body: before } = await call("/v1/realtime/client_secrets", secret, created.key);
  const rotated = await suite.ask<{ key: string }>("token", "rotate", created.id, "--grace-seconds", "60");
  const graceEnd = Date.now() / 1_000 + 60;
  (await openSession(suite, { key: before.value })).socket.close();
  const { body: during } = await call("/v1/realtime/client_secrets", secret, created.key);
  expect(during.expires_at).toBeLessThanOrEqual(graceEnd);
  const { body: after } = await call("/v1/realtime/client_secrets", secret, rotated.key);
  expect(after.expires_at).toBeGreaterThan(graceEnd);
  await suite.ask("token", "rotate", created.id, "--grace-seconds", "0");
  expect(await untilRefused(after.value)).toMatch(/401/);
});

/** Waits until a secret opens no session, and returns the error. The edge learns of a changed key by a message. */
function untilRefused(key: string): Promise<string> {
  return until("the secret to be refused", async () => {
    try {
      (await openSession(suite, { key })).socket.close();
      return undefined;
    } catch (error) {
      return String(error);
    }
  });
}

function makeKey(): Promise<{ id: string; key: string }> {
  return suite.ask("token", "create", "demo", "--group", "default");
}

async function update(id: string, change: object): Promise<void> {
  expect(await askOperator(suite, "POST", `/tokens/${id}`, change)).toBeDefined();
}
