import { once } from "node:events";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { googleClient, openLive, textConfig } from "../../services/realtime/test/live-client.ts";
import { channel, config as baseConfig, hello, keys, money, post } from "./suite-client.ts";
import { ask, booksAgree, handshake, limits, openSession, price, refusal, usageEvents } from "./realtime-client.ts";
import { tlsFront, type TlsFront } from "./tls-front.ts";

/** Key whose budget is too small for a session. */
const smallBudgetKey = "sk-hardly-0123456789abcdef";
const config = {
  ...baseConfig,
  models: {
    ...baseConfig.models,
    live: { kind: "realtime", price },
    other: { kind: "realtime", price },
    gem: { kind: "realtime", price },
  },
  channels: [
    ...baseConfig.channels,
    channel("voice", ["live", "other"]),
    channel("gem", { gem: "gemini-live-1" }, { provider: "gemini", baseUrl: "${SIMULATOR_URL}/at/gem/gemini" }),
  ],
  accounts: {
    ...baseConfig.accounts,
    smallBudgetKey: {
      balance: "10.00",
      tokens: [{ key: smallBudgetKey, group: "default", budget: { dollarsPerDay: 0.000001 } }],
    },
  },
};

let suite: Suite;
let front: TlsFront;
beforeAll(async () => {
  suite = await startSuite({ config, env: { CORS_ORIGINS: "https://app.example" }, limits });
  front = await tlsFront(suite.edgeUrl);
});
afterAll(async () => {
  await front?.[Symbol.asyncDispose]();
  await suite?.[Symbol.asyncDispose]();
});

/** The SDK requires TLS, and Node's WebSocket accepts no certificate authority. */
class WebSocketWithoutTls extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(String(url).replace(/^wss:/, "ws:"), protocols);
  }
}

test("the official SDK uses text and audio, calls a tool, and is billed for each response by the token", async () => {
  const before = BigInt((await money(suite)).spentNanos);
  const client = new OpenAI({ baseURL: `${front.url}/v1`, apiKey: keys.demo });
  const live = new OpenAIRealtimeWS({ model: "live", options: { ca: front.authority } }, client);
  const failures: unknown[] = [];
  live.on("error", (error) => failures.push(error));
  const nextDone = () => new Promise<any>((resolve) => void live.once("response.done", resolve));
  const created = await new Promise<any>((resolve) => void live.once("session.created", resolve));
  expect(created.session).toMatchObject({ type: "realtime", model: "live" });

  const tool = { type: "function" as const, name: "weather", parameters: { type: "object", properties: {} } };
  live.send({
    type: "session.update",
    session: { type: "realtime", model: "live", output_modalities: ["text"], tools: [tool] },
  });
  await new Promise((resolve) => void live.once("session.updated", resolve));
  let text = "";
  live.on("response.output_text.delta", ({ delta }) => (text += delta));
  live.send({
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
  });
  live.send({ type: "response.create" });
  const first = await nextDone();
  expect(text).toBe("You said: Hello");

  live.send({
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text: "call weather {}" }] },
  });
  live.send({ type: "response.create" });
  const second = await nextDone();
  const [call] = second.response.output;
  expect(call).toMatchObject({ type: "function_call", name: "weather", arguments: "{}" });
  live.send({
    type: "conversation.item.create",
    item: { type: "function_call_output", call_id: call.call_id, output: "sunny" },
  });
  live.send({ type: "response.create", response: { output_modalities: ["audio"] } });
  let audio = 0;
  live.on("response.output_audio.delta", ({ delta }) => (audio += Buffer.from(delta, "base64").length));
  const third = await nextDone();
  expect(audio).toBe("sunny".length * 1_200);
  live.close();

  const usages = [first, second, third].map(({ response }) => response.usage);
  expect(usages[1].input_token_details.cached_tokens).toBeGreaterThan(0);
  expect(usages[2].output_token_details.audio_tokens).toBeGreaterThan(0);
  const events = (await usageEvents(suite, "live", 3)).slice(0, 3);
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  let cost = 0n;
  for (const [at, { event, subject }] of events.entries()) {
    const { input_token_details: input, output_token_details: output } = usages[at];
    const units = {
      requests: 1,
      inputTokens: input.text_tokens - input.cached_tokens_details.text_tokens,
      cachedInputTokens: input.cached_tokens,
      inputAudioTokens: input.audio_tokens - input.cached_tokens_details.audio_tokens,
      outputTokens: output.text_tokens,
      outputAudioTokens: output.audio_tokens,
    };
    const counted = Object.fromEntries(Object.entries(units).filter(([, amount]) => amount > 0));
    expect(event).toMatchObject({
      status: 101,
      outcome: "completed",
      estimated: false,
      attempts: 1,
      channelId: "voice",
    });
    expect(event.units).toEqual(counted);
    expect(subject).toBe("usage.v1.realtime");
    // A dollar per million tokens is a thousand nano-dollars per token.
    const nanos =
      units.inputTokens * 4_000 +
      units.cachedInputTokens * 400 +
      units.inputAudioTokens * 32_000 +
      units.outputTokens * 16_000 +
      units.outputAudioTokens * 64_000;
    expect(event.costNanos).toBe(String(nanos));
    cost += BigInt(nanos);
  }
  await booksAgree(suite, "demo");
  expect(BigInt((await money(suite)).spentNanos) - before).toBe(cost);
  expect(failures).toEqual([]);
});

test("the official SDK as in a browser: the key is a subprotocol", async () => {
  vi.stubGlobal("WebSocket", WebSocketWithoutTls);
  onTestFinished(() => void vi.unstubAllGlobals());
  const client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: keys.demo });
  const live = new OpenAIRealtimeWebSocket({ model: "live" }, client);
  const created = await new Promise<any>((resolve) => void live.once("session.created", resolve));
  expect(created.session.model).toBe("live");
  live.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
  live.send({ type: "response.create" });
  const done = await new Promise<any>((resolve) => void live.once("response.done", resolve));
  expect(done.response.status).toBe("completed");
  live.close();
});

test("the browser's WebSocket sends its key as a subprotocol, which is neither echoed nor forwarded", async () => {
  const url = `${suite.edgeUrl.replace("http", "ws")}/v1/realtime?model=live`;
  const socket = new WebSocket(url, ["realtime", `openai-insecure-api-key.${keys.demo}`]);
  const opened = once(socket, "open");
  const [message] = await once(socket, "message");
  await opened;
  expect(socket.protocol).toBe("realtime");
  expect(JSON.parse(message.data).type).toBe("session.created");
  socket.close(1000, "done");
  const [{ code }] = await once(socket, "close");
  expect(code).toBe(1000);
  const [vendorRequest] = (await suite.simulator.requests("voice")).slice(-1);
  expect(JSON.stringify(vendorRequest)).not.toContain(keys.demo);
  expect(vendorRequest?.headers["sec-websocket-protocol"]).toBeUndefined();
  expect(vendorRequest?.headers["authorization"]).toBe("Bearer key-of-voice");
});

test("Google's SDK connects in its mode for Vertex, and with the newest version of the path; a wrong key is refused", async () => {
  const headers = { authorization: `Bearer ${keys.demo}` };
  const baseUrl = suite.edgeUrl;
  for (const client of [
    new GoogleGenAI({ vertexai: true, apiKey: keys.demo, httpOptions: { baseUrl, headers } }),
    new GoogleGenAI({ apiKey: keys.demo, httpOptions: { baseUrl, apiVersion: "v1alpha" } }),
  ]) {
    const google = await openLive(client, "gem", textConfig);
    google.session.sendClientContent({ turns: "Hello" });
    expect((await google.turn()).text).toBe("You said: Hello");
    google.session.close();
  }
  await booksAgree(suite, "demo");
  await expect(openLive(googleClient(baseUrl, keys.disabled), "gem", textConfig)).rejects.toThrow();
  await expect(openLive(googleClient(baseUrl, keys.narrow), "gem", textConfig)).rejects.toThrow(/code 10\d\d/);
});

describe("a client secret", () => {
  const create = (apiKey: string = keys.demo) =>
    new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey, maxRetries: 0 }).realtime.clientSecrets.create({
      expires_after: { anchor: "created_at", seconds: 60 },
      session: { type: "realtime", model: "live", instructions: "Answer as a pirate." },
    });
  const refusalOf = (key: string, model = "live"): Promise<string> =>
    openSession(suite, { key, model }).then(() => "it was opened", String);

  test("opens a session with its bound settings, and its owner pays", async () => {
    const before = BigInt((await money(suite)).spentNanos);
    const secret = await create();
    expect(secret).toMatchObject({
      value: expect.stringMatching(/^ek_/),
      session: { type: "realtime", model: "live" },
    });
    expect(secret.expires_at).toBeGreaterThan(Date.now() / 1_000);
    const session = await openSession(suite, { key: secret.value });
    const { session: settings } = await session.next("session.updated");
    expect(settings).toMatchObject({ model: "live", instructions: "Answer as a pirate." });
    await ask(session, "Hello");
    session.socket.close();
    await booksAgree(suite, "demo");
    expect(BigInt((await money(suite)).spentNanos)).toBeGreaterThan(before);
  });

  test("opens no other model, and can make no other call and no other secret", async () => {
    const { value } = await create();
    expect(await refusalOf(value, "other")).toContain("40");
    expect((await post(suite, hello("chat"), value)).status).toBe(401);
    await expect(create(value)).rejects.toMatchObject({ status: 401 });
  });

  test("counts against its owner's budget", async () => {
    const { value } = await create(smallBudgetKey);
    expect([await refusalOf(value), await refusalOf(smallBudgetKey)]).toEqual([
      expect.stringContaining("402"),
      expect.stringContaining("402"),
    ]);
  });
});

describe("a refused handshake gets an HTTP answer with the error body", () => {
  const authorization = `Bearer ${keys.demo}`;
  test.each<[string, Record<string, string>, number, string]>([
    ["no key", {}, 401, "invalid_api_key"],
    ["an unknown key", { authorization: "Bearer sk-unknown-0123456789" }, 401, "invalid_api_key"],
    ["two keys", { authorization, "x-api-key": keys.poor }, 401, "contradicting_api_keys"],
    ["an expired key", { "api-key": keys.expired }, 401, "api_key_expired"],
    ["a page of another origin", { authorization, origin: "https://evil.example" }, 403, "origin_not_allowed"],
    ["another protocol", { authorization, upgrade: "h2c" }, 400, "websocket_required"],
  ])("%s", async (_, headers, status, code) => {
    const answer = await refusal(suite, "/v1/realtime?model=live", { ...handshake, ...headers });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("a second session of a key with one seat, until the first has ended", async () => {
    const session = await openSession(suite, { model: "live", key: keys.single });
    const headers = { ...handshake, authorization: `Bearer ${keys.single}` };
    expect(await refusal(suite, "/v1/realtime?model=live", headers)).toMatchObject({ status: 429 });
    session.socket.close();
    await session.closed;
    const opens = () =>
      openSession(suite, { model: "live", key: keys.single }).then(
        ({ socket }) => (socket.close(), true),
        () => false,
      );
    await until("the seat to be released", opens);
  });
});
