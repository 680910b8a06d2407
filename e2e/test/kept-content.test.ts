import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { channel, config as house, keys, rival } from "./house.ts";
import { askOperator } from "./operator.ts";
import { ask, openSession, textSession } from "./realtime-client.ts";
import { price } from "./realtime-house.ts";

/** What clients have the gateway keep: within their account's share, for a balance, and within what their key allows now. */
const broke = "sk-broke-0123456789abcdef";
const kept = 200_000;
let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({
    shape: "apart",
    config: {
      ...house,
      models: { ...house.models, live: { kind: "realtime", price }, other: { kind: "realtime", price } },
      channels: [...house.channels, channel("voice", ["live", "other"])],
      accounts: {
        ...house.accounts,
        rival: rival.account,
        broke: { balance: "0", tokens: [{ key: broke, group: "default" }] },
      },
    },
    env: { CONTENT_BYTES: String(kept) },
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

/** Items that do not compress. */
const noise = (bytes: number) => {
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64");
  return [{ type: "message", role: "user", content: text }];
};

const secret = { session: { type: "realtime", model: "live" } };

test.each([
  ["/v1/conversations", { items: [] }],
  ["/v1/realtime/client_secrets", secret],
])("an account without a balance keeps nothing: %s", async (path, body) => {
  expect(await call(path, body, broke)).toMatchObject({ status: 402, code: "insufficient_quota" });
});

test("an account keeps its share and no more, whatever it keeps; what is deleted makes room, and others have theirs", async () => {
  const ids: string[] = [];
  let refused;
  for (let count = 0; count < 20 && refused === undefined; count++) {
    const made = await call("/v1/conversations", { items: noise(30_000) });
    if (made.status === 200) ids.push(made.body.id);
    else refused = made;
  }
  expect(refused).toMatchObject({ status: 429, code: "content_limit_exceeded" });
  expect(ids.length).toBeGreaterThan(2);
  const [second = ""] = ids.slice(1);
  expect(await call(`/v1/conversations/${second}/items`, { items: noise(60_000) })).toMatchObject({
    status: 429,
    code: "content_limit_exceeded",
  });
  const background = { model: "chat", input: noise(60_000), background: true };
  expect(await call("/v1/responses", background)).toMatchObject({ status: 429, code: "content_limit_exceeded" });
  const large = { session: { ...secret.session, instructions: "x".repeat(60_000) } };
  expect(await call("/v1/realtime/client_secrets", large)).toMatchObject({ code: "content_limit_exceeded" });
  expect((await call("/v1/conversations", { items: noise(30_000) }, rival.key)).status).toBe(200);
  // A call that keeps nothing, and one whose answer cannot be kept, are answered.
  expect(
    (await call("/v1/chat/completions", { model: "chat", messages: [{ role: "user", content: "Hi" }] })).status,
  ).toBe(200);
  expect((await call("/v1/responses", { model: "chat", input: noise(60_000) })).status).toBe(200);
  for (const id of ids)
    await fetch(`${suite.edgeUrl}/v1/conversations/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${keys.demo}` },
    });
  expect((await call("/v1/conversations", { items: noise(30_000) })).status).toBe(200);
});

test("settings of a client secret are at most 64 KB", async () => {
  const large = { session: { ...secret.session, instructions: "x".repeat(64 * 1024) } };
  expect(await call("/v1/realtime/client_secrets", large)).toMatchObject({ status: 413, code: "request_too_large" });
});

test("a client secret lives no longer than its key, and opens what its key may open now", async () => {
  const made = await suite.ask<{ id: string; key: string }>("token", "create", "demo", "--group", "default");
  const soon = new Date(Date.now() + 120_000);
  await update(made.id, { expiresAt: soon.toISOString() });
  const { body } = await call(
    "/v1/realtime/client_secrets",
    { ...secret, expires_after: { anchor: "created_at", seconds: 3_000 } },
    made.key,
  );
  expect(body.expires_at).toBeLessThanOrEqual(soon.getTime() / 1_000);
  (await openSession(suite, { key: body.value })).socket.close();
  await update(made.id, { models: ["other"] });
  await expect(openSession(suite, { key: body.value })).rejects.toThrow();
});

test("an open WebSocket for responses calls what its key may call now", async () => {
  const made = await suite.ask<{ id: string; key: string }>("token", "create", "demo", "--group", "default");
  const socket = new WebSocket(`${suite.edgeUrl.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${made.key}` },
  });
  const came: any[] = [];
  socket.on("message", (data: Buffer) => came.push(JSON.parse(data.toString())));
  await once(socket, "open");
  const create = () =>
    socket.send(JSON.stringify({ type: "response.create", model: "chat", input: "Hi", store: false }));
  create();
  await until("a response", () => came.some(({ type }) => type === "response.completed"));
  await update(made.id, { models: ["fixed"] });
  create();
  const error = await until("a refusal", () => came.find(({ type }) => type === "error"));
  expect(error.error).toMatchObject({ code: "model_not_allowed" });
  socket.terminate();
});

test("an open session calls what its key may call now", async () => {
  const made = await suite.ask<{ id: string; key: string }>("token", "create", "demo", "--group", "default");
  const session = await textSession(suite, "live", made.key);
  await ask(session, "Hi");
  await ask(session, "Hi");
  await update(made.id, { models: ["chat"] });
  session.send({ type: "response.create" });
  session.send({ type: "response.create" });
  expect((await session.closed).reason).toMatch(/model/);
});

async function update(id: string, change: object): Promise<void> {
  await askOperator(suite, "POST", `/tokens/${id}`, change);
}
