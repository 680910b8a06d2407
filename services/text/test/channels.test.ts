import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { another, channel, config, hello, keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { streamsOfDrain } from "./broken-streams.ts";
import { googleAt } from "./every-vendor.ts";
import { post, sdk } from "./requests.ts";
import { readChannelStates, switchChannel } from "@modelgate/channels";

/** Each test uses separate models and channels, so that other tests' failures do not affect it. */
const maxPairs = 40;
const numbers = Array.from({ length: maxPairs }, (_, at) => String(at));
let area: Area;
beforeAll(async () => {
  const { chat, fixed } = config.models;
  area = await startArea(service, {
    config: {
      ...config,
      models: {
        ...config.models,
        ...Object.fromEntries(numbers.map((at) => [`pair-${at}`, chat])),
        ...Object.fromEntries(numbers.map((at) => [`single-${at}`, fixed])),
        shared: chat,
        quick: chat,
        seat: chat,
        pooled: chat,
      },
      channels: [
        ...config.channels,
        ...numbers.flatMap((at) => [
          channel(`first-${at}`, [`pair-${at}`], { priority: 10 }),
          channel(`second-${at}`, [`pair-${at}`]),
          channel(`single-${at}`, [`single-${at}`]),
        ]),
        channel("heavy", ["shared"], { weight: 1 }),
        channel("light", ["shared"], { weight: 0 }),
        channel("quick", ["quick"], { timeoutMs: 300 }),
        channel("narrow", ["seat"], { maxConcurrency: 1 }),
        channel("pool", ["pooled"], { keys: ["pool-one", "pool-two"] }),
      ],
    },
    env: { HEARTBEAT_MS: "100", DRAIN_MS: "2000" },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

let pairs = 0;
/** Returns an unused model with two channels. */
function freshPair() {
  const at = String(pairs++);
  return { pair: `pair-${at}`, first: `first-${at}`, second: `second-${at}` };
}
let singleChannelModels = 0;
/** Returns an unused model with one channel. */
const freshSingleChannelModel = (): string => `single-${singleChannelModels++}`;

const count = async (name: string) => (await area.simulator.requests(name)).length;
const eventOf = (requestId: string | null) => area.eventOf(requestId);
const streamed = (model: string) => ({ ...hello(model), stream: true });

describe("before the first byte the next channel is tried", () => {
  test.each<[string, object, boolean]>([
    ["an error status", { status: 500 }, false],
    ["a reset connection", { closeBeforeHead: true }, false],
    ["an answer that is not JSON", { malformed: true }, false],
    ["a vendor's rate limit", { status: 429 }, false],
    ["refused credentials", { status: 401 }, false],
    ["an exhausted quota", { status: 429, errorCode: "insufficient_quota" }, false],
    ["a model unknown to the vendor", { status: 404, errorCode: "model_not_found" }, false],
    ["an error status, streamed", { status: 503 }, true],
    ["a stream that begins with an error", { errorAfterChunks: 0 }, true],
  ])("after %s", async (_, behaviour, stream) => {
    const { pair, first, second } = freshPair();
    await area.simulator.script(first, [{ ...behaviour, repeat: true }]);
    const answer = await post(area, stream ? streamed(pair) : hello(pair));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(stream ? "[DONE]" : "You said: Hello");
    expect([await count(first), await count(second)]).toEqual([1, 1]);
    expect(await eventOf(answer.headers.get("x-request-id"))).toMatchObject({
      channelId: second,
      attempts: 2,
      outcome: "completed",
    });
  });

  test("but not after the vendor refused the client's input: its message is sent to the client, without keys and addresses", async () => {
    const { pair, first, second } = freshPair();
    await area.simulator.script(first, [
      {
        status: 400,
        errorCode: "context_length_exceeded",
        errorMessage: "too long, see https://vendor.example/x (key sk-abcdef123456)",
      },
    ]);
    const answer = await post(area, hello(pair));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: "context_length_exceeded", message: "too long, see [address] (key [key])" },
    });
    expect(await count(second)).toBe(0);
    expect(await eventOf(answer.headers.get("x-request-id"))).toMatchObject({
      outcome: "failed",
      status: 400,
      costNanos: "0",
    });
  });
});

test("a higher priority is used first, and a weight of zero only if no other channel is left", async () => {
  const { pair, first, second } = freshPair();
  for (let at = 0; at < 5; at++) await post(area, hello(pair));
  for (let at = 0; at < 5; at++) await post(area, hello("shared"));
  expect([await count(first), await count(second), await count("heavy"), await count("light")]).toEqual([5, 0, 5, 0]);
});

test("the keys of a pool are used in turn, and a refused one is in cooldown", async () => {
  for (let at = 0; at < 4; at++) expect((await post(area, hello("pooled"))).status).toBe(200);
  const used = (await area.simulator.requests("pool")).map(({ headers }) => headers["authorization"]);
  expect(new Set(used).size).toBe(2);
  await area.simulator.script("pool", [{ status: 429, retryAfter: "60" }]);
  expect((await post(area, hello("pooled"))).status).toBe(200);
  await area.simulator.forget("pool");
  for (let at = 0; at < 4; at++) expect((await post(area, hello("pooled"))).status).toBe(200);
  expect(new Set((await area.simulator.requests("pool")).map(({ headers }) => headers["authorization"])).size).toBe(1);
});

test.each([
  ["refused credentials", { status: 401 }, 502, "upstream_auth_failed"],
  ["a failing vendor", { status: 500 }, 502, "upstream_error"],
  ["a rate limit", { status: 429, retryAfter: "7" }, 429, "upstream_rate_limited"],
])("with one channel only, %s becomes %j", async (_, behaviour, status, code) => {
  const single = freshSingleChannelModel();
  await area.simulator.script(single, [behaviour]);
  const answer = await post(area, hello(single));
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: { code } });
  if (status === 429) expect(answer.headers.get("retry-after")).toBe("7");
  expect(await eventOf(answer.headers.get("x-request-id"))).toMatchObject({
    outcome: "failed",
    status,
    costNanos: "0",
  });
});

test("a channel with repeated failures is in cooldown, and works again when it is switched on", async () => {
  const single = freshSingleChannelModel();
  await area.simulator.script(single, [{ status: 500, repeat: true }]);
  for (let at = 0; at < 3; at++) expect((await post(area, another(single))).status).toBe(502);
  await until("the cooldown to be shared", async () => {
    const { accountCooldowns } = await readChannelStates(area.redis);
    return [...accountCooldowns.keys()].filter((name) => name.includes(single)).length === 1;
  });
  // The model has one channel: some calls still try it, the others get a `retry-after`.
  const refused = await until("a call to be turned away", async () => {
    const answer = await post(area, another(single));
    return answer.status === 503 && answer;
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await area.simulator.script(single, []);
  await switchChannel(area.redis, single, false, "test");
  await until("the channel to be off", async () => (await post(area, another(single))).status === 503);
  await switchChannel(area.redis, single, true, "");
  await until("the channel to work again", async () => (await post(area, hello(single))).status === 200);
});

test("a silent vendor gets 504", async () => {
  await area.simulator.script("quick", [{ delayMs: 60_000 }]);
  const answer = await post(area, hello("quick"));
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ error: { code: "upstream_timeout" } });
});

describe("a stream that breaks ends with an error frame and is billed for the received part", () => {
  test.each<[string, boolean, object, string]>([
    ["cut", false, { cutAfterChunks: 5 }, "upstream_error"],
    ["failing", false, { errorAfterChunks: 5 }, "upstream_error"],
    ["ended without its final frame", false, { noDone: true, usage: null }, "upstream_error"],
    ["stalled", true, { stallAfterChunks: 5 }, "upstream_timeout"],
  ])("%s", async (_, impatient, behaviour, code) => {
    const { pair, first } = freshPair();
    const [model, instance] = impatient ? ["quick", "quick"] : [pair, first];
    const words = "one two three four five six seven eight nine ten";
    // The pieces are sent with pauses, so that text is on its way when the fault happens.
    const script = [{ ...behaviour, chunks: 20, chunkDelayMs: 5, text: words }];
    // Repeated, because on a busy machine the first byte can exceed the time limit of `quick`.
    const { answer, text } = await until("a stream that begins", async () => {
      await area.simulator.script(instance, script);
      const answer = await post(area, streamed(model));
      const text = await answer.text();
      return text.includes("chat.completion.chunk") && { answer, text };
    });
    expect(text).toContain(`"code":"${code}"`);
    expect(text).not.toContain("[DONE]");
    const event = await eventOf(answer.headers.get("x-request-id"));
    expect(event).toMatchObject({ outcome: "failed", status: 200, estimated: true });
    expect(event.units.outputTokens).toBeGreaterThan(0);
    expect(BigInt(event.costNanos)).toBeGreaterThan(0n);
  });

  test("the official SDK throws", async () => {
    const { pair, first } = freshPair();
    await area.simulator.script(first, [{ chunks: 20, chunkDelayMs: 5, cutAfterChunks: 5 }]);
    const stream = await sdk(area).chat.completions.create({ ...hello(pair), stream: true });
    await expect(all(stream)).rejects.toThrow();
  });
});

test("a client that disconnects stops the vendor and is charged for the received part", async () => {
  const { pair, first } = freshPair();
  await area.simulator.script(first, [{ chunks: 10_000, chunkDelayMs: 5 }]);
  const leaving = new AbortController();
  const answer = await fetch(`${area.url}/v1/chat/completions`, {
    method: "POST",
    signal: leaving.signal,
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify(streamed(pair)),
  });
  const reader = answer.body?.getReader();
  for (let at = 0; at < 5; at++) await reader?.read();
  leaving.abort();
  await until("the vendor to see it", async () => (await area.simulator.requests(first))[0]?.aborted === true);
  const event = await eventOf(answer.headers.get("x-request-id"));
  expect(event).toMatchObject({ outcome: "cancelled", estimated: true });
  expect(event.units.outputTokens).toBeGreaterThan(0);
});

test("usage is counted if the vendor reports none, and the event is marked as estimated", async () => {
  const { pair, first } = freshPair();
  for (const stream of [false, true]) {
    await area.simulator.script(first, [{ usage: null, text: "The quick brown fox jumps over the lazy dog" }]);
    const answer = await post(area, { ...hello(pair), stream });
    await answer.text();
    expect(await eventOf(answer.headers.get("x-request-id"))).toMatchObject({
      estimated: true,
      outcome: "completed",
      units: { outputTokens: 9 },
    });
  }
});

test("cached and reasoning tokens are charged at their own prices", async () => {
  const { pair, first } = freshPair();
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 80,
    prompt_tokens_details: { cached_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };
  await area.simulator.script(first, [{ usage }]);
  const answer = await post(area, hello(pair));
  expect(await eventOf(answer.headers.get("x-request-id"))).toMatchObject({
    units: { inputTokens: 400, cachedInputTokens: 600, outputTokens: 80, reasoningTokens: 30 },
    costNanos: "2550000",
  });
});

test.each([
  ["one byte at a time", { splitBytes: 1 }],
  ["CRLF", { crlf: true }],
  ["comments between", { comments: true }],
  ["seven bytes, CRLF, comments", { splitBytes: 7, crlf: true, comments: true }],
])("a stream framed as %s arrives complete and is billed exactly", async (_, framing) => {
  const { pair, first } = freshPair();
  await area.simulator.script(first, [{ ...framing, text: "Grüße, 世界 👋" }]);
  const stream = await sdk(area).chat.completions.create({ ...hello(pair), stream: true });
  const data = await all(stream);
  expect(data.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Grüße, 世界 👋");
});

test("the bytes are unchanged if nothing needs to change", async () => {
  const { pair, first } = freshPair();
  const body = JSON.stringify({ ...streamed(pair), stream_options: { include_usage: true } });
  const answer = await post(area, body);
  await answer.text();
  const [vendorRequest] = await area.simulator.requests(first);
  expect(vendorRequest?.sha256).toBe(createHash("sha256").update(body).digest("hex"));
});

test("a silent stream sends heartbeats between its frames", async () => {
  const { pair, first } = freshPair();
  await area.simulator.script(first, [{ chunks: 2, chunkDelayMs: 350 }]);
  const text = await (await post(area, streamed(pair))).text();
  expect(text).toContain(": keep-alive\n\n");
  expect(text).toContain("[DONE]");
});

test("a streamed chat of Google's SDK remembers a turn whose stream has heartbeats", async () => {
  const { pair, first } = freshPair();
  await area.simulator.script(first, [{ chunks: 2, chunkDelayMs: 350 }]);
  const chat = googleAt(area.url, keys.demo).chats.create({ model: pair });
  for await (const piece of await chat.sendMessageStream({ message: "Hi" })) expect(piece.candidates).toHaveLength(1);
  expect(chat.getHistory(true)[0]).toEqual({ role: "user", parts: [{ text: "Hi" }] });
});

test("a vendor with a long time to the first byte keeps its connection, and another vendor can still be tried", async () => {
  const { pair, first, second } = freshPair();
  await area.simulator.script(first, [{ delayMs: 350, status: 500 }]);
  await area.simulator.script(second, [{ delayMs: 250 }]);
  const answer = await post(area, streamed(pair));
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  const text = await answer.text();
  expect(text).toMatch(/^: keep-alive\n\n(?:: keep-alive\n\n)*data: /);
  expect(text).toContain("[DONE]");
});

test("if all fail after the first heartbeat, the stream ends with the error", async () => {
  const { pair, first, second } = freshPair();
  await area.simulator.script(first, [{ delayMs: 250, status: 500 }]);
  await area.simulator.script(second, [{ delayMs: 250, status: 500 }]);
  const answer = await post(area, streamed(pair));
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toMatch(/data: \{"error":\{.*"upstream_error".*\n\n$/);
  expect(text).not.toContain("[DONE]");
  expect(await eventOf(answer.headers.get("x-request-id"))).toMatchObject({ outcome: "failed", costNanos: "0" });
});

test("a full channel gets 429, and its seat is released", async () => {
  await area.simulator.script("narrow", [{ waitFor: "seat" }]);
  const first = post(area, hello("seat"));
  await until("the vendor to be asked", async () => (await count("narrow")) === 1);
  const refused = await post(area, hello("seat"));
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: "channel_concurrency_exceeded" } });
  await area.simulator.release("seat");
  expect((await first).status).toBe(200);
  await until("the seat to be back", async () => (await post(area, hello("seat"))).status === 200);
});

// Ends the service, so it is the last test.
test("a service that shuts down ends open streams with their wire's error, and a call without a first byte with 503", async () => {
  const wires = streamsOfDrain("chat");
  const before = await count("main");
  const headersOf = (call: string) => ({ "anthropic-version": "2023-06-01", "x-request-id": `drained-${call}` });
  const opened = wires.map(({ path, body }, at) => area.post(path, body, keys.demo, headersOf(String(at))));
  const whole = post(area, hello("chat", 'Hi {{simulate: {"delayMs": 60000}}}'), keys.demo, headersOf("whole"));
  await until("all requests to reach the vendor", async () => (await count("main")) === before + wires.length + 1);
  const answers = await Promise.all(opened);
  const texts = Promise.all(answers.map((answer) => answer.text()));
  await area.drain();
  for (const [at, { path, broken }] of wires.entries()) expect((await texts)[at], path).toMatch(broken);
  const refused = await whole;
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
  const events = await until("an event of each", async () => {
    const found = (await area.events()).filter(({ requestId }) => requestId.startsWith("drained-"));
    return found.length === wires.length + 1 && found;
  });
  const [waited, ...streams] = events.toSorted((some, other) => other.status - some.status);
  expect(waited).toMatchObject({ outcome: "failed", status: 503, costNanos: "0" });
  for (const { outcome, status, units, costNanos } of streams) {
    expect([outcome, status]).toEqual(["failed", 200]);
    expect((units.outputTokens ?? 0) > 0 && costNanos !== "0").toBe(true);
  }
  expect((await area.settled("demo")).heldNanos).toBe(0n);
});

async function all<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
