import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { keyDigest, findToken, writeTokenToRedis } from "@modelgate/accounts";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../../libs/relay/test/area.ts";
import { channel, keys, rival } from "../../../../libs/relay/test/config.ts";
import { service } from "../../src/service.ts";

/** Keys for the tests of stored content. */
const drained = "sk-drained-0123456789abcdef";
const filled = "sk-filled-0123456789abcdef";
const kept = 200_000;
/** Keys whose permissions a test changes. Each test takes a different one with `nextKey`. */
const changed = Array.from({ length: 8 }, (_, at) => `sk-changed-${at}-0123456789abcdef`);
let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        chat: { kind: "chat", price: { input: 2.5, output: 10 } },
        fixed: { kind: "chat", price: { request: 0.001 } },
      },
      channels: [channel("main", ["chat", "fixed"])],
      accounts: {
        demo: {
          balance: "10.00",
          tokens: [keys.demo, ...changed].map((key) => ({ key, group: "default" })),
        },
        rival: rival.account,
        // Covers one call of the fixed price.
        drained: { balance: "0.001", tokens: [{ key: drained, group: "default" }] },
        filled: { balance: "1.00", tokens: [{ key: filled, group: "default" }] },
      },
    },
    env: { CONTENT_BYTES: String(kept) },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

async function call(path: string, body: object, key: string = keys.demo) {
  const answer = await area.post(path, body, key);
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text), code: JSON.parse(text).error?.code };
}

/** Creates an item whose text cannot be compressed. */
const noise = (bytes: number) => {
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64");
  return [{ type: "message", role: "user", content: text }];
};

test("an account without a balance stores no response over an open WebSocket", async () => {
  using socket = await openSocket(drained);
  socket.create({ model: "fixed" });
  await socket.next("response.completed");
  await until("the balance to be spent", async () => (await area.account("drained")).balanceNanos === 0n);
  socket.create({ generate: false, store: true });
  expect((await socket.next("error")).error).toMatchObject({ code: "insufficient_quota" });
});

test("a response that is only stored over an open WebSocket counts against the account's share", async () => {
  using socket = await openSocket(filled);
  socket.create({ generate: false, store: true, input: Array.from({ length: 4 }, () => noise(60_000)).flat() });
  expect((await socket.next("error")).error).toMatchObject({ code: "content_limit_exceeded" });
});

test("an account stores up to its share over all kinds of records; deletion frees space, and other accounts are unaffected", async () => {
  const ids: string[] = [];
  let refused;
  for (let count = 0; count < 20 && refused === undefined; count++) {
    const created = await call("/v1/conversations", { items: noise(30_000) });
    if (created.status === 200) ids.push(created.body.id);
    else refused = created;
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
  expect((await call("/v1/conversations", { items: noise(30_000) }, rival.key)).status).toBe(200);
  // A call that stores nothing, and a call whose answer cannot be stored, are both answered.
  expect(
    (await call("/v1/chat/completions", { model: "chat", messages: [{ role: "user", content: "Hi" }] })).status,
  ).toBe(200);
  expect((await call("/v1/responses", { model: "chat", input: noise(60_000) })).status).toBe(200);
  for (const id of ids)
    await fetch(`${area.url}/v1/conversations/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${keys.demo}` },
    });
  expect((await call("/v1/conversations", { items: noise(30_000) })).status).toBe(200);
});

const changes = [
  ["models", { models: ["fixed"] }, "model_not_allowed"],
  ["budget", { budget: { perDay: "1000" } }, "insufficient_quota"],
  ["addresses", { allowedAddresses: ["192.0.2.0/24"] }, "address_not_allowed"],
] as const;

describe.each([0, 1])("after %i responses", (before) => {
  test.each(changes)("an open WebSocket for responses follows its key's new %s", async (_, to, code) => {
    const key = nextKey();
    using socket = await openSocket(key);
    for (let at = 0; at < before; at++) {
      socket.create({});
      await socket.next("response.completed");
    }
    await change(key, to);
    socket.create({});
    expect((await socket.next("error")).error).toMatchObject({ code });
  });
});

test.each<[string, string[]]>([
  ["before its first response", []],
  ["during a response, which continues,", ['Hi {{simulate: {"chunks": 5, "chunkDelayMs": 20}}}']],
])("an open WebSocket for responses of a key that is disabled %s is refused and closed", async (_, inputs) => {
  const key = nextKey();
  using socket = await openSocket(key);
  for (const input of inputs) {
    socket.create({ input });
    await socket.next("response.output_text.delta");
  }
  await change(key, { disabled: true });
  for (const _input of inputs) await socket.next("response.completed");
  socket.create({});
  expect((await socket.next("error")).error).toMatchObject({ code: "api_key_disabled" });
  expect(await socket.closed).toBe(1008);
});

let used = 0;
const nextKey = (): string => changed[used++] ?? "";

/** Changes a key's permissions as an operator does. */
async function change(key: string, changed: object): Promise<void> {
  const digest = keyDigest(key);
  const token = await findToken(area.redis, digest);
  if (token === undefined) throw new Error(`there is no key ${key}`);
  await writeTokenToRedis(area.redis, digest, { ...token, ...changed, version: (token.version ?? 0) + 1 });
}

async function openSocket(key: string) {
  const url = `${area.url.replace("http", "ws")}/v1/responses`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const received: any[] = [];
  socket.on("message", (data: Buffer) => received.push(JSON.parse(data.toString())));
  const closed = once(socket, "close").then(([code]: unknown[]) => code);
  await once(socket, "open");
  return {
    closed,
    create: (more: object) =>
      socket.send(JSON.stringify({ type: "response.create", model: "chat", input: "Hi", store: false, ...more })),
    next: (type: string) => until(type, () => received.find((event) => event.type === type)),
    [Symbol.dispose]: () => socket.terminate(),
  };
}
