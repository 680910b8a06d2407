import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { channel, config as house, hello, keys, post } from "./house.ts";
import { openSession } from "./realtime-client.ts";
import { limits, price, usageEvents } from "./realtime-house.ts";

/** Short-lived keys that browsers open sessions with. */
const thrifty = "sk-hardly-0123456789abcdef";
let suite: Suite;
let client: OpenAI;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: {
      ...house,
      models: {
        ...house.models,
        live: { kind: "realtime", price },
        other: { kind: "realtime", price },
        "whisper-1": { kind: "transcription", price: { second: 0.0001 } },
      },
      channels: [...house.channels, channel("voice", ["live", "other", "whisper-1"])],
      accounts: {
        ...house.accounts,
        hardly: {
          balance: "10.00",
          tokens: [{ key: thrifty, group: "default", budget: { dollarsPerDay: 0.000001 } }],
        },
      },
    },
    limits,
  });
  client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: keys.demo, maxRetries: 0 });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const create = (seconds = 60, by = client) =>
  by.realtime.clientSecrets.create({
    expires_after: { anchor: "created_at", seconds },
    session: {
      type: "realtime",
      model: "live",
      instructions: "Answer as a pirate.",
      audio: { input: { transcription: { model: "whisper-1" } } },
    },
  });

test("opens a session with the settings that it is bound to, and its owner pays", async () => {
  const secret = await create();
  expect(secret).toMatchObject({ value: expect.stringMatching(/^ek_/), session: { type: "realtime", model: "live" } });
  expect(secret.expires_at).toBeGreaterThan(Date.now() / 1_000);
  const session = await openSession(suite, { key: secret.value });
  const { session: settings } = await session.next("session.updated");
  expect(settings).toMatchObject({ model: "live", instructions: "Answer as a pirate." });
  const content = [{ type: "input_text", text: "Hello" }];
  session.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
  session.send({ type: "response.create" });
  await session.next("response.done");
  session.socket.close();
  const [stored] = await usageEvents(suite, "live", 1);
  expect(stored?.event.accountId).toBe("demo");
});

test("opens no other model, makes no other call and no other secret", async () => {
  const { value } = await create();
  await expect(openSession(suite, { key: value, model: "other" })).rejects.toThrow();
  expect((await post(suite, hello("chat"), value)).status).toBe(401);
  const again = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: value, maxRetries: 0 });
  await expect(
    again.realtime.clientSecrets.create({ session: { type: "realtime", model: "live" } }),
  ).rejects.toMatchObject({ status: 401 });
});

test("spends from its owner's budget", async () => {
  const owner = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: thrifty, maxRetries: 0 });
  const { value } = await create(60, owner);
  const refusalOf = (key: string): Promise<string> =>
    openSession(suite, { key, model: "live" }).then(() => "it was opened", String);
  expect([await refusalOf(value), await refusalOf(thrifty)]).toEqual([
    expect.stringContaining("402"),
    expect.stringContaining("402"),
  ]);
});

test.each([
  ["no model", { session: { type: "realtime" } }, 400, "session.model"],
  ["a model that there is not", { session: { model: "none" } }, 404, "model"],
  ["a model of another kind", { session: { model: "chat" } }, 404, "model"],
  ["a life of a day", { session: { model: "live" }, expires_after: { seconds: 86_400 } }, 400, "expires_after.seconds"],
])("is refused for %s", async (_, body, status, param) => {
  const answer = await fetch(`${suite.edgeUrl}/v1/realtime/client_secrets`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.json()]).toMatchObject([status, { error: { param } }]);
});
