import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyDigest, findToken, writeTokenToRedis } from "@modelgate/accounts";
import type { Area } from "../../../libs/relay/test/area.ts";
import { channel, keys, price, startSessions, textSession } from "./start-sessions.ts";
import { ask } from "./session-client.ts";

/** Keys for the tests of stored content, and of keys that change while sessions are open. */
const filled = "sk-filled-0123456789abcdef";
/** Keys whose permissions a test changes. Each test uses a different one. */
const changed = Array.from({ length: 7 }, (_, at) => `sk-changed-${at}-0123456789abcdef`);
let area: Area;
beforeAll(async () => {
  area = await startSessions({
    models: { live: { kind: "realtime", price } },
    channels: [channel("voice", ["live"])],
    accounts: {
      filled: { balance: "1.00", tokens: [{ key: filled, group: "default" }] },
      owner: { balance: "10.00", tokens: changed.map((key) => ({ key, group: "default" })) },
    },
    env: { CONTENT_BYTES: "200000" },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

async function create(instructions: string, key: string) {
  const body = { session: { type: "realtime", model: "live", instructions } };
  const answer = await area.post("/v1/realtime/client_secrets", body, key);
  const { error }: { readonly error?: { readonly code: string } } = JSON.parse(await answer.text());
  return { status: answer.status, code: error?.code };
}

test("settings of client secrets count with their stored bytes against the account's share", async () => {
  const statuses: number[] = [];
  for (let at = 0; at < 4; at++) statuses.push((await create("話".repeat(20_000), filled)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(await create("x".repeat(60_000), filled)).toEqual({ status: 429, code: "content_limit_exceeded" });
});

test("settings of a client secret are at most 64 KB", async () => {
  expect(await create("x".repeat(64 * 1024), keys.demo)).toEqual({ status: 413, code: "request_too_large" });
});

describe.each([0, 1])("after %i responses", (before) => {
  test.each([
    ["narrowed", { models: ["chat"] }, "model_not_allowed"],
    ["disabled", { disabled: true }, "api_key_disabled"],
    ["limited to other addresses", { allowedAddresses: ["192.0.2.0/24"] }, "address_not_allowed"],
  ])("an open session gets no response with a key that was %s", async (_, to, code) => {
    const key = nextKey();
    const session = await textSession(area, "live", key);
    for (let at = 0; at < before; at++) await ask(session, "Hi");
    await change(key, to);
    session.send({ type: "response.create" });
    expect((await session.closed).reason).toBe(code);
    expect(session.texts.filter((text) => text.includes('"response.created"'))).toHaveLength(before);
  });
});

test("an open session gets only responses within its key's lowered budget", async () => {
  const key = nextKey();
  const session = await textSession(area, "live", key);
  await ask(session, "Hi");
  await change(key, { budget: { perDay: "1000" } });
  // The money of the next response may be held already, but not that of the response after it.
  session.send({ type: "response.create" });
  await Promise.race([session.next("response.done"), session.closed]).catch(() => undefined);
  session.send({ type: "response.create" });
  expect((await session.closed).reason).toBe("insufficient_quota");
  const started = session.texts.filter((text) => text.includes('"response.created"'));
  expect([1, 2]).toContain(started.length);
});

let used = 0;
const nextKey = (): string => changed[used++] ?? "";

/** Changes the token of a key, as an operator does. */
async function change(key: string, changed: object): Promise<void> {
  const digest = keyDigest(key);
  const token = await findToken(area.redis, digest);
  if (token === undefined) throw new Error(`there is no key ${key}`);
  await writeTokenToRedis(area.redis, digest, { ...token, ...changed, version: (token.version ?? 0) + 1 });
}
