import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { channel, config as house, keys, money, rival } from "./house.ts";
import { askOperator } from "./operator.ts";
import { ask, handshake, openSession, price, refusal, textSession } from "./realtime-client.ts";

/** What clients have the gateway keep: within their account's share, for a balance, and within what their key allows now. */
const broke = "sk-broke-0123456789abcdef";
const drained = "sk-drained-0123456789abcdef";
const filled = "sk-filled-0123456789abcdef";
const kept = 200_000;
let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({
    shape: "apart",
    config: {
      ...house,
      groups: { ...house.groups, texts: { models: ["chat"] } },
      models: { ...house.models, live: { kind: "realtime", price }, other: { kind: "realtime", price } },
      channels: [...house.channels, channel("voice", ["live", "other"])],
      accounts: {
        ...house.accounts,
        rival: rival.account,
        broke: { balance: "0", tokens: [{ key: broke, group: "default" }] },
        // Covers one call of the fixed price.
        drained: { balance: "0.001", tokens: [{ key: drained, group: "default" }] },
        filled: { balance: "1.00", tokens: [{ key: filled, group: "default" }] },
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

test("an account without a balance opens no WebSocket for responses", async () => {
  const refused = await refusal(suite, "/v1/responses", { ...handshake, authorization: `Bearer ${broke}` });
  expect(refused).toMatchObject({ status: 402, body: { error: { code: "insufficient_quota" } } });
});

test("an account whose balance is spent adds no items, and keeps no response of an open WebSocket", async () => {
  const { body: conversation } = await call("/v1/conversations", { items: [] }, drained);
  using socket = await openSocket(drained);
  socket.create({ model: "fixed" });
  await socket.next("response.completed");
  await until("the balance to be spent", async () => (await money(suite, "drained")).balanceNanos === "0");
  expect(await call(`/v1/conversations/${conversation.id}/items`, { items: noise(10) }, drained)).toMatchObject({
    status: 402,
    code: "insufficient_quota",
  });
  socket.create({ generate: false, store: true });
  expect((await socket.next("error")).error).toMatchObject({ code: "insufficient_quota" });
});

test("a response that an open WebSocket only keeps counts against the account's share", async () => {
  using socket = await openSocket(filled);
  socket.create({ generate: false, store: true, input: Array.from({ length: 4 }, () => noise(60_000)).flat() });
  expect((await socket.next("error")).error).toMatchObject({ code: "content_limit_exceeded" });
});

test("settings of client secrets count as the bytes that they are kept in", async () => {
  const session = { ...secret.session, instructions: "話".repeat(20_000) };
  const statuses: number[] = [];
  for (let at = 0; at < 4; at++) statuses.push((await call("/v1/realtime/client_secrets", { session }, filled)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test.each(["/v1/conversations", "/v1/conversations/{id}/items", "/v1/realtime/client_secrets"])(
  "requests of what is kept count against a key's requests per minute: %s",
  async (path) => {
    const { body: conversation } = await call("/v1/conversations", { items: [] }, rival.key);
    const { key } = await suite.ask<{ key: string }>("token", "create", "rival", "--group", "slow");
    const answers = [];
    for (let at = 0; at < 3; at++)
      answers.push(await call(path.replace("{id}", conversation.id), { ...secret, items: noise(10) }, key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.at(-1)).toMatchObject({ code: "rate_limit_exceeded" });
  },
);

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

test.each([
  ["budget", { dollarsPerDay: "0.000001" }, /402/],
  ["group", { group: "texts" }, /40[34]/],
])("a client secret is bound by a %s that its key was given after it", async (_, change, refused) => {
  const made = await makeKey();
  const { body } = await call("/v1/realtime/client_secrets", secret, made.key);
  await update(made.id, change);
  await expect(openSession(suite, { key: body.value })).rejects.toThrow(refused);
});

const changes = [
  ["models", { models: ["fixed"] }, "model_not_allowed"],
  ["budget", { dollarsPerDay: "0.000001" }, "insufficient_quota"],
] as const;

describe.each([0, 1])("after %i responses", (before) => {
  test.each(changes)("an open WebSocket for responses keeps to its key's new %s", async (_, change, code) => {
    const made = await makeKey();
    using socket = await openSocket(made.key);
    for (let at = 0; at < before; at++) {
      socket.create({});
      await socket.next("response.completed");
    }
    await update(made.id, change);
    socket.create({});
    expect((await socket.next("error")).error).toMatchObject({ code });
  });

  test("an open WebSocket for responses of a key that was disabled is refused and closed", async () => {
    const made = await makeKey();
    using socket = await openSocket(made.key);
    for (let at = 0; at < before; at++) {
      socket.create({});
      await socket.next("response.completed");
    }
    await update(`${made.id}/disable`, {});
    socket.create({});
    expect((await socket.next("error")).error).toMatchObject({ code: "api_key_disabled" });
    expect(await socket.closed).toBe(1008);
  });

  test.each([
    ["narrowed", "", { models: ["chat"] }, "model_not_allowed"],
    ["disabled", "/disable", {}, "api_key_disabled"],
  ])("an open session has no response of a key that was %s", async (_, path, change, code) => {
    const made = await makeKey();
    const session = await textSession(suite, "live", made.key);
    for (let at = 0; at < before; at++) await ask(session, "Hi");
    await update(made.id + path, change);
    session.send({ type: "response.create" });
    expect((await session.closed).reason).toBe(code);
    expect(session.texts.filter((text) => text.includes('"response.created"'))).toHaveLength(before);
  });
});

test("an open session has no more responses than are paid for when its key's budget is lowered", async () => {
  const made = await makeKey();
  const session = await textSession(suite, "live", made.key);
  await ask(session, "Hi");
  await update(made.id, { dollarsPerDay: "0.000001" });
  // The money of the next response may be held already; that of the one after it is not.
  session.send({ type: "response.create" });
  await Promise.race([session.next("response.done"), session.closed]).catch(() => undefined);
  session.send({ type: "response.create" });
  expect((await session.closed).reason).toBe("insufficient_quota");
  const started = session.texts.filter((text) => text.includes('"response.created"'));
  expect([1, 2]).toContain(started.length);
});

/** Makes a key of the account with money. */
function makeKey(): Promise<{ id: string; key: string }> {
  return suite.ask("token", "create", "demo", "--group", "default");
}

/** A WebSocket for responses. */
async function openSocket(key: string) {
  const url = `${suite.edgeUrl.replace("http", "ws")}/v1/responses`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const came: any[] = [];
  socket.on("message", (data: Buffer) => came.push(JSON.parse(data.toString())));
  const closed = once(socket, "close").then(([code]: unknown[]) => code);
  await once(socket, "open");
  return {
    closed,
    /** Sends a request for a response. */
    create: (more: object) =>
      socket.send(JSON.stringify({ type: "response.create", model: "chat", input: "Hi", store: false, ...more })),
    /** The first event of a type. */
    next: (type: string) => until(type, () => came.find((event) => event.type === type)),
    [Symbol.dispose]: () => socket.terminate(),
  };
}

async function update(id: string, change: object): Promise<void> {
  expect(await askOperator(suite, "POST", `/tokens/${id}`, change)).toBeDefined();
}
