import { once } from "node:events";
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ClientOptions } from "ws";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { channel, config as house, keys, money } from "./house.ts";
import { ask, handshake, openSession, refusal, say, textOnly } from "./realtime-client.ts";

/** What a vendor may do instead of opening a session, and what the client is told. */
const faults = [
  { name: "refuses the gateway's key", step: { status: 401 }, status: 502, code: "upstream_auth_failed" },
  {
    name: "limits the gateway's key",
    step: { status: 429, retryAfter: "1" },
    status: 429,
    code: "upstream_rate_limited",
  },
  { name: "is overloaded", step: { status: 503 }, status: 502, code: "upstream_error" },
  {
    name: "refuses the request",
    step: { status: 400, errorCode: "no_such_voice" },
    status: 400,
    code: "no_such_voice",
  },
  { name: "opens and says nothing", step: { openWith: "silence" }, status: 504, code: "upstream_timeout" },
  { name: "opens with an error", step: { openWith: "error" }, status: 502, code: "upstream_error" },
  { name: "opens with garbage", step: { openWith: "garbage" }, status: 502, code: "upstream_error" },
  { name: "opens and closes", step: { openWith: "close" }, status: 502, code: "upstream_error" },
  { name: "resets the connection", step: { closeBeforeHead: true }, status: 502, code: "upstream_error" },
];
const instanceOf = (name: string): string => `live-${name.replaceAll(/\W/g, "-")}`;

/** Prices at which every unit shows in the sum. */
const price = { input: 4, cachedInput: 0.4, output: 16, inputAudio: 32, outputAudio: 64, second: 0.0001 };
const config = {
  ...house,
  models: {
    ...house.models,
    live: { kind: "realtime", price },
    "live-renamed": { kind: "realtime", price },
    "live-fallback": { kind: "realtime", price },
    "live-heard": { kind: "realtime", price },
    "live-narrow": { kind: "realtime", price },
    ...Object.fromEntries(faults.map(({ name }) => [instanceOf(name), { kind: "realtime", price }])),
    "live-poor": { kind: "realtime", price: { output: 20_000 } },
  },
  channels: [
    ...house.channels,
    channel("voice", ["live", "live-poor", "live-heard"]),
    channel("voice-renamed", { "live-renamed": "vendor-live-preview" }),
    channel("first", ["live-fallback"], { priority: 2 }),
    channel("second", ["live-fallback"], { priority: 1 }),
    ...faults.map(({ name }) => channel(instanceOf(name), [instanceOf(name)])),
    channel("tight", ["live-narrow"], { maxConcurrency: 1 }),
  ],
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config,
    env: { CORS_ORIGINS: "https://app.example" },
    envOf: { realtime: { FIRST_EVENT_MS: "500", HOLD_AUDIO_SECONDS: "1", HOLD_TEXT_TOKENS: "100" } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** The SDK takes every address for one behind TLS; this suite is in front of it. */
const withoutTls: NonNullable<ClientOptions["createConnection"]> = () =>
  connect(Number(new URL(suite.edgeUrl).port), "127.0.0.1");

class WebSocketWithoutTls extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(String(url).replace(/^wss:/, "ws:"), protocols);
  }
}

/** Usage events of realtime models since a test began. */
async function usageEvents(model: string, count: number) {
  return until(`${count} events of ${model}`, async () => {
    const found = (await storedEvents(suite.backends.natsUrl)).filter(({ event }) => event.model === model);
    return found.length >= count && found;
  });
}

/** Waits until no session of the account holds money. */
const nothingHeld = (account = "demo") =>
  until("nothing to be held", async () => (await money(suite, account)).heldNanos === "0");

describe("the official SDK", () => {
  test("speaks text and audio, calls a tool, and pays for each response to the token", async () => {
    const before = BigInt((await money(suite)).spentNanos);
    const client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: keys.demo });
    const live = new OpenAIRealtimeWS({ model: "live", options: { createConnection: withoutTls } }, client);
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
    const events = (await usageEvents("live", 3)).slice(0, 3);
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
      const told = Object.fromEntries(Object.entries(units).filter(([, amount]) => amount > 0));
      expect(event).toMatchObject({
        status: 101,
        outcome: "completed",
        estimated: false,
        attempts: 1,
        channelId: "voice",
      });
      expect(event.units).toEqual(told);
      expect(subject).toBe("usage.v1.realtime");
      // Thousandths of a nano-dollar are in no price here: dollars per million are thousands of nanos per token.
      const nanos =
        units.inputTokens * 4_000 +
        units.cachedInputTokens * 400 +
        units.inputAudioTokens * 32_000 +
        units.outputTokens * 16_000 +
        units.outputAudioTokens * 64_000;
      expect(event.costNanos).toBe(String(nanos));
      cost += BigInt(nanos);
    }
    await nothingHeld();
    expect(BigInt((await money(suite)).spentNanos) - before).toBe(cost);
    expect(failures).toEqual([]);
  });

  test("in a browser's way: the key is a subprotocol", async () => {
    vi.stubGlobal("WebSocket", WebSocketWithoutTls);
    const client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: keys.demo });
    const live = new OpenAIRealtimeWebSocket({ model: "live" }, client);
    vi.unstubAllGlobals();
    const created = await new Promise<any>((resolve) => void live.once("session.created", resolve));
    expect(created.session.model).toBe("live");
    live.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
    live.send({ type: "response.create" });
    const done = await new Promise<any>((resolve) => void live.once("response.done", resolve));
    expect(done.response.status).toBe("completed");
    live.close();
  });

  test("the browser's WebSocket brings its key as a subprotocol, which is never answered nor passed on", async () => {
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
    const [seen] = (await suite.simulator.requests("voice")).slice(-1);
    expect(JSON.stringify(seen)).not.toContain(keys.demo);
    expect(seen?.headers["sec-websocket-protocol"]).toBeUndefined();
    expect(seen?.headers["authorization"]).toBe("Bearer key-of-voice");
  });
});

describe("refused before the upgrade, as HTTP with the error body", () => {
  const authorization = `Bearer ${keys.demo}`;
  test.each<[string, string, Record<string, string>, number, string]>([
    ["no key", "?model=live", {}, 401, "invalid_api_key"],
    ["an unknown key", "?model=live", { authorization: "Bearer sk-unknown-0123456789" }, 401, "invalid_api_key"],
    ["two keys", "?model=live", { authorization, "x-api-key": keys.poor }, 401, "contradicting_api_keys"],
    ["an expired key", "?model=live", { "api-key": keys.expired }, 401, "api_key_expired"],
    ["a model that is not there", "?model=nothing", { authorization }, 404, "model_not_found"],
    ["a model of another kind", "?model=chat", { authorization }, 404, "model_not_found"],
    ["a model outside the key's", "?model=live", { "x-api-key": keys.narrow }, 403, "model_not_allowed"],
    ["no model, and none to take", "", { authorization: `Bearer ${keys.narrow}` }, 400, "missing_required_parameter"],
    ["two models", "?model=live&model=chat", { authorization }, 400, "invalid_value"],
    ["a call to join", "?call_id=rtc_1", { authorization }, 400, "unsupported_parameter"],
    ["too little money", "?model=live-poor", { authorization: `Bearer ${keys.poor}` }, 402, "insufficient_quota"],
    ["a wrong nonce", "?model=live", { authorization, "sec-websocket-key": "short" }, 400, "invalid_value"],
    ["an old version", "?model=live", { authorization, "sec-websocket-version": "8" }, 400, "invalid_value"],
    ["a foreign page", "?model=live", { authorization, origin: "https://evil.example" }, 403, "origin_not_allowed"],
    ["another protocol", "?model=live", { authorization, upgrade: "h2c" }, 400, "websocket_required"],
  ])("%s", async (_, query, headers, status, code) => {
    const seen = (await suite.simulator.requests("voice")).length;
    const answer = await refusal(suite, `/v1/realtime${query}`, { ...handshake, ...headers });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(await suite.simulator.requests("voice")).toHaveLength(seen);
  });

  test("a plain GET is 400", async () => {
    const response = await fetch(`${suite.edgeUrl}/v1/realtime?model=live`, { headers: { authorization } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "websocket_required" } });
  });

  test("a second session of a key with one seat is 429 until the first has ended", async () => {
    const session = await openSession(suite, { model: "live", key: keys.single });
    const headers = { ...handshake, authorization: `Bearer ${keys.single}` };
    expect(await refusal(suite, "/v1/realtime?model=live", headers)).toMatchObject({ status: 429 });
    session.socket.close();
    await session.closed;
    await until("the seat to be back", () =>
      openSession(suite, { model: "live", key: keys.single }).then(
        ({ socket }) => (socket.close(), true),
        () => false,
      ),
    );
  });

  test("a channel whose seats are taken is 429 until one is free", async () => {
    const session = await openSession(suite, { model: "live-narrow" });
    const headers = { ...handshake, authorization };
    const answer = await refusal(suite, "/v1/realtime?model=live-narrow", headers);
    expect(answer).toMatchObject({ status: 429, body: { error: { code: "channel_concurrency_exceeded" } } });
    session.socket.close();
    await until("the seat to be back", () =>
      openSession(suite, { model: "live-narrow" }).then(
        ({ socket }) => (socket.close(), true),
        () => false,
      ),
    );
  });

  test.each(faults)("a vendor that $name", async ({ name, step, status, code }) => {
    await suite.simulator.script(instanceOf(name), [{ ...step, repeat: true }]);
    const answer = await refusal(suite, `/v1/realtime?model=${instanceOf(name)}`, { ...handshake, authorization });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  test("nothing is held for any of them afterwards", async () => {
    expect(await nothingHeld()).toBe(true);
  });
});

test("without a model the first realtime model that the key may call is taken", async () => {
  const session = await openSession(suite);
  expect((await session.next("session.created")).session.model).toBe("live");
  expect(session.headers["x-request-id"]).toMatch(/^req_/);
  expect(session.headers["sec-websocket-extensions"]).toBeUndefined();
  session.socket.close();
});

test("a channel that fails is passed over, for this session and, resting, for the next", async () => {
  await suite.simulator.script("first", [{ status: 401, repeat: true }]);
  for (const attempts of [2, 1]) {
    const session = await openSession(suite, { model: "live-fallback" });
    session.send(textOnly);
    await ask(session, "Hello");
    session.socket.close();
    const events = await usageEvents("live-fallback", 3 - attempts);
    expect(events.at(-1)?.event).toMatchObject({ channelId: "second", attempts });
  }
  expect(await suite.simulator.requests("first")).toHaveLength(1);
});

test("messages pass byte for byte both ways, text and binary; only a renamed model is replaced", async () => {
  const session = await openSession(suite, { model: "live-renamed", headers: { "openai-beta": "realtime=v1" } });
  expect((await session.next("session.created")).session.model).toBe("live-renamed");
  const odd = '{ "type" : "response.create", "event_id":"e\\u0031" , "response": {"metadata": {"n": 1.50} } }';
  session.send(
    '{"type":"session.update","session":{"type":"realtime", "model":"live-renamed","output_modalities":["text"]}}',
  );
  expect((await session.next("session.updated")).session.model).toBe("live-renamed");
  session.send(odd);
  await session.next("response.done");
  // As no writer of ours would write it.
  expect(session.texts.find((text) => text.includes("rate_limits.updated"))).toMatch(
    /"limit": 12345678901234567890, "remaining": 1\.0, "reset_seconds": 0\.10\}/,
  );
  const bytes = Buffer.from([0, 255, 128, 1]);
  session.socket.send(bytes);
  const [echo, binary] = await once(session.socket, "message");
  expect([echo, binary]).toEqual([bytes, true]);
  session.send({ type: "session.update", event_id: "mine", session: { type: "realtime", model: "another" } });
  expect((await session.next("error")).error).toMatchObject({
    code: "invalid_value",
    param: "session.model",
    event_id: "mine",
  });
  session.socket.close(4001, "my own reason");
  const seen = await until("the vendor's end", async () => {
    const [request] = await suite.simulator.requests("voice-renamed");
    return request?.closeCode !== undefined && request;
  });
  expect(seen.closeCode).toBe(4001);
  expect(seen.headers["openai-beta"]).toBe("realtime=v1");
  expect(seen.messages).toEqual([
    '{"type":"session.update","session":{"type":"realtime", "model":"vendor-live-preview","output_modalities":["text"]}}',
    odd,
    bytes.toString("base64"),
  ]);
});

describe("what a client sends", () => {
  test("garbage is told as an error, and the session goes on", async () => {
    const session = await openSession(suite, { model: "live" });
    session.send("not json");
    expect((await session.next("error")).error.code).toBe("invalid_json");
    session.send({ type: "nonsense", event_id: "e9" });
    expect((await session.next("error")).error.event_id).toBe("e9");
    session.send(textOnly);
    expect((await ask(session, "Still there?")).response.status).toBe("completed");
    session.socket.close();
  });

  test("fragments are put together", async () => {
    const session = await openSession(suite, { model: "live" });
    session.send(textOnly);
    const text = JSON.stringify(say("in pieces"));
    for (let at = 0; at < text.length; at++) session.socket.send(text.charAt(at), { fin: at === text.length - 1 });
    session.send({ type: "response.create" });
    const done = await session.next("response.done");
    expect(done.response.output[0].content[0].text).toBe("You said: in pieces");
    session.socket.close();
  });

  test("a message of 15 MB passes; one above the bound closes with 1009, and costs nothing", async () => {
    const session = await openSession(suite, { model: "live" });
    session.send({ type: "session.update", session: { type: "realtime", audio: { input: { turn_detection: null } } } });
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(11 * 1024 * 1024, 1).toString("base64") });
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("input_audio_buffer.committed");
    session.socket.send(Buffer.alloc(25 * 1024 * 1024));
    expect((await session.closed).code).toBe(1009);
    await nothingHeld();
  });

  test("speech over the model's interrupts it; what it said until then is paid", async () => {
    const session = await openSession(suite, { model: "live" });
    session.send(say('Talk {{simulate: {"chunks": 200, "chunkDelayMs": 10, "bodyBytes": 2000}}}'));
    session.send({ type: "response.create" });
    await session.next("response.output_audio.delta");
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(4_800, 1).toString("base64") });
    await session.next("input_audio_buffer.speech_started");
    const done = await session.next("response.done");
    expect(done.response).toMatchObject({ status: "cancelled", status_details: { reason: "turn_detected" } });
    session.socket.close();
    const { output_token_details: output } = done.response.usage;
    const events = await until("its event", async () => {
      const found = await usageEvents("live", 1);
      return found.some(({ event }) => event.outcome === "cancelled") && found;
    });
    expect(events.find(({ event }) => event.outcome === "cancelled")?.event.units.outputAudioTokens).toBe(
      output.audio_tokens,
    );
  });
});

test("the client's own words, written down by the vendor, are a call of their own: seconds or tokens", async () => {
  const audio = { type: "input_audio_buffer.append", audio: Buffer.alloc(96_000, 1).toString("base64") };
  const sums: string[] = [];
  for (const model of ["whisper-1", "gpt-4o-transcribe"]) {
    const session = await openSession(suite, { model: "live-heard" });
    const input = { turn_detection: null, transcription: { model } };
    session.send({ type: "session.update", session: { type: "realtime", audio: { input } } });
    session.send(audio);
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("conversation.item.input_audio_transcription.completed");
    session.socket.close();
    await session.closed;
    const events = await usageEvents("live-heard", sums.length + 1);
    sums.push(`${JSON.stringify(events.at(-1)?.event.units)} ${events.at(-1)?.event.costNanos}`);
  }
  expect(sums).toEqual([
    '{"requests":1,"seconds":2} 200000',
    // "2000 ms of speech" are five tokens.
    '{"requests":1,"inputAudioTokens":20,"outputTokens":5} 720000',
  ]);
});
