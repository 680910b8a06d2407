import { parseBuffer } from "music-metadata";
import OpenAI, { APIError } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../../libs/relay/test/area.ts";
import { channel, config as baseConfig, keys, trusting, trustingAccount } from "../../../../libs/relay/test/config.ts";
import { service } from "../../src/service.ts";

const config = {
  ...baseConfig,
  models: {
    "tts-1": { kind: "speech", price: { character: 0.000015 } },
    absent: { kind: "speech", price: { character: 0.1 }, fallbacks: ["tts-1"] },
    "tts-events": { kind: "speech", price: { input: 0.6, outputAudio: 12 } },
    "bytes-only": { kind: "speech", price: { input: 0.6, outputAudio: 12 } },
    chat: { kind: "chat", price: { input: 1 } },
  },
  channels: [
    channel("first", ["tts-1", "tts-events", "chat"], { priority: 10 }),
    channel("second", ["tts-1", "tts-events"]),
    channel("nowhere", ["absent"], { baseUrl: "http://127.0.0.1:9/v1" }),
    channel("third", { "bytes-only": "ignores-events" }),
  ],
  groups: { ...baseConfig.groups, trusting },
  accounts: { ...baseConfig.accounts, trusting: trustingAccount.account },
};

let area: Area;
let client: OpenAI;
beforeAll(async () => {
  area = await startArea(service, { config, env: { HEARTBEAT_MS: "100" } });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const settled = async (account = "demo"): Promise<bigint> => (await area.settled(account)).balanceNanos;

const input = "Grüße an alle 🎉!";
const characters = Array.from(input).length;
const speechBody = { model: "tts-1", voice: "alloy", input } as const;
const post = (body: unknown, key: string = keys.demo) =>
  fetch(`${area.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const simulate = (behaviour: object): string => `Hello there. {{simulate: ${JSON.stringify(behaviour)}}}`;
const eventsOf = (text: string): any[] =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => JSON.parse(frame.slice(6)));

describe("the official SDK gets", () => {
  test.each([
    ["mp3", "audio/mpeg"],
    ["opus", "audio/ogg"],
    ["aac", "audio/aac"],
    ["flac", "audio/flac"],
    ["wav", "audio/wav"],
  ] as const)("%s, and is charged for each character once", async (format, mimeType) => {
    const before = await settled();
    const answer = await client.audio.speech.create({ ...speechBody, response_format: format });
    expect(answer.headers.get("content-type")).toBe(mimeType);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect((await parseBuffer(bytes, { mimeType }, { duration: true })).format.duration).toBeGreaterThan(0.4);
    expect(before - (await settled())).toBe(BigInt(characters) * 15_000n);
  });

  test("pcm, unchanged from the vendor", async () => {
    const request = { ...speechBody, response_format: "pcm" } as const;
    const direct = new OpenAI({ baseURL: `${area.simulator.url}/openai/v1`, apiKey: "any" });
    const [here, there] = await Promise.all([client.audio.speech.create(request), direct.audio.speech.create(request)]);
    expect(here.headers.get("content-type")).toBe("audio/pcm");
    expect(Buffer.from(await here.arrayBuffer()).equals(Buffer.from(await there.arrayBuffer()))).toBe(true);
  });

  test("mp3 by default, from its first byte on", async () => {
    const answer = await client.audio.speech.create({ ...speechBody, input: simulate({ stallAfterChunks: 1 }) });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    const reader = answer.body?.getReader();
    // The vendor stops after its first piece, so this piece did not wait for the rest.
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    await reader?.cancel();
  });
});

describe("events", () => {
  test("contain the audio in chunks, and its usage", async () => {
    await area.simulator.forget("first");
    const answer = await client.audio.speech.create({
      ...speechBody,
      model: "tts-events",
      response_format: "pcm",
      instructions: "Slowly.",
      stream_format: "sse",
    });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const events = eventsOf(await answer.text());
    const audio = Buffer.concat(events.slice(0, -1).map((event) => Buffer.from(event.audio, "base64")));
    expect(audio.length).toBe(characters * 0.06 * 24_000 * 2);
    expect(events.at(-1)).toMatchObject({ type: "speech.audio.done", usage: { input_tokens: 5 } });
    const [vendorRequest] = await area.simulator.requests("first");
    expect(JSON.parse(vendorRequest?.body ?? "")).toMatchObject({ instructions: "Slowly.", stream_format: "sse" });
  });

  test("come after heartbeats if the vendor starts slowly", async () => {
    const words = simulate({ delayMs: 500 });
    const answer = await post({ ...speechBody, model: "tts-events", input: words, stream_format: "sse" });
    expect(await answer.text()).toMatch(/^(?:: keep-alive\n\n)+data: \{"type":"speech\.audio\.delta"/);
  });

  test("are created from a vendor's bytes, and the usage is estimated", async () => {
    const answer = await post({ ...speechBody, model: "bytes-only", stream_format: "sse", response_format: "wav" });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const events = eventsOf(await answer.text());
    const audio = Buffer.concat(events.slice(0, -1).map((event) => Buffer.from(event.audio, "base64")));
    expect((await parseBuffer(audio, { mimeType: "audio/wav" })).format.duration).toBeCloseTo(characters * 0.06);
    expect(events.at(-1)?.usage.input_tokens).toBeGreaterThan(0);
  });
});

describe("by tokens", () => {
  test("a vendor's report is charged, even if the client requested bytes", async () => {
    const before = await settled();
    const answer = await client.audio.speech.create({ ...speechBody, model: "tts-events", response_format: "wav" });
    expect(answer.headers.get("content-type")).toBe("audio/wav");
    expect(
      (await parseBuffer(Buffer.from(await answer.arrayBuffer()), { mimeType: "audio/wav" })).format.duration,
    ).toBeCloseTo(characters * 0.06);
    const output = Math.ceil(characters * 0.06 * 20);
    expect(before - (await settled())).toBe(5n * 600n + BigInt(output) * 12_000n);
  });

  test("speech without a report is estimated, and marked as estimated", async () => {
    const answer = await post({
      ...speechBody,
      model: "tts-events",
      input: simulate({ usage: null }),
      stream_format: "sse",
    });
    await answer.text();
    const event = await area.eventOf(answer.headers.get("x-request-id"));
    expect(event).toMatchObject({ estimated: true, area: "audio", endpoint: "POST /v1/audio/speech" });
    expect(event.units.outputAudioTokens).toBeGreaterThan(0);
  });
});

describe("errors", () => {
  // Ends the channel's cooldown after a failure in the previous test.
  beforeEach(() => area.enable("first"));

  test("a text that is too long is refused with its field's name, and costs nothing", async () => {
    const before = await settled();
    const answer = await post({ ...speechBody, input: "x".repeat(4_097) });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: "input" } }]);
    expect(await settled()).toBe(before);
  });

  test("a voice of the vendor's store is refused with its path, even if it is named repeatedly", async () => {
    const answerWithVoiceId = await post({ ...speechBody, voice: { id: "voice_1" } });
    expect([answerWithVoiceId.status, await answerWithVoiceId.json()]).toMatchObject([
      400,
      { error: { param: "voice.id" } },
    ]);
    const twice = await post(`{"file":{"file_id":"file-1"},"file":{},${JSON.stringify(speechBody).slice(1)}`);
    expect([twice.status, await twice.json()]).toMatchObject([400, { error: { param: "file" } }]);
  });

  test("a voice of the vendor's store passes if the group shares vendors' stores", async () => {
    await area.simulator.forget("first");
    const voice = { id: "voice_1" };
    await (await post({ ...speechBody, voice }, trustingAccount.key)).arrayBuffer();
    const [vendorRequest] = await area.simulator.requests("first");
    expect(JSON.parse(vendorRequest?.body ?? "{}")).toMatchObject({ voice });
  });

  test("a model of another kind is not found", async () => {
    expect((await post({ ...speechBody, model: "chat" })).status).toBe(404);
  });

  test("an account that cannot pay for the text is refused before the vendor is called", async () => {
    await area.simulator.forget("first");
    const answer = await post({ ...speechBody, input: "x".repeat(4_096) }, keys.poor);
    expect(answer.status).toBe(402);
    expect(await area.simulator.requests("first")).toHaveLength(0);
  });

  test("after a vendor's failure the next one is used, and the client does not notice", async () => {
    await area.simulator.script("first", [{ status: 500 }]);
    await area.simulator.forget("second");
    const answer = await client.audio.speech.create(speechBody);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect(await area.simulator.requests("second")).toHaveLength(1);
  });

  test("an error with the status of a success is an error", async () => {
    await area.simulator.script("first", [{ malformed: true }]);
    const answer = await client.audio.speech.create(speechBody);
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    await answer.arrayBuffer();
  });

  test("events that begin with an error are requested from the next vendor", async () => {
    await area.simulator.script("first", [{ errorAfterChunks: 0 }]);
    const answer = await post({ ...speechBody, model: "tts-events", stream_format: "sse" });
    expect(eventsOf(await answer.text()).at(-1)).toMatchObject({ type: "speech.audio.done" });
  });

  test("without a working channel, the fallback speaks, at its price and under the requested name", async () => {
    const answer = await post({ ...speechBody, model: "absent" });
    expect([answer.status, answer.headers.get("x-modelgate-model")]).toEqual([200, "tts-1"]);
    await answer.arrayBuffer();
    expect(await area.eventOf(answer.headers.get("x-request-id"))).toMatchObject({
      model: "tts-1",
      requestedModel: "absent",
      costNanos: String(characters * 15_000),
    });
  });

  test("interrupted audio does not end like a complete answer, and costs nothing", async () => {
    const before = await settled();
    const answer = await post({
      ...speechBody,
      input: simulate({ cutAfterChunks: 2, chunkDelayMs: 50 }),
      response_format: "wav",
    });
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect(await settled()).toBe(before);
  });

  test("interrupted events end with an error", async () => {
    const body = {
      ...speechBody,
      model: "tts-events",
      input: simulate({ errorAfterChunks: 1, chunkDelayMs: 50 }),
      stream_format: "sse",
    };
    const events = eventsOf(await (await post(body)).text());
    expect(events.at(-1)).toMatchObject({ type: "error", error: { code: "upstream_error" } });
    await settled();
  });

  test("a client that disconnects stops the vendor, and is charged for its text", async () => {
    await area.simulator.forget("first");
    const before = await settled();
    const leaving = new AbortController();
    const words = simulate({ stallAfterChunks: 1 });
    const answer = await client.audio.speech.create({ ...speechBody, input: words }, { signal: leaving.signal });
    await answer.body?.getReader().read();
    leaving.abort();
    await until(
      "the vendor to notice the disconnect",
      async () => (await area.simulator.requests("first")).at(-1)?.aborted,
    );
    expect(before - (await settled())).toBe(BigInt(Array.from(words).length) * 15_000n);
  });

  test("the SDK throws its error classes", async () => {
    const wrong = client.audio.speech.create({ ...speechBody, model: "no-such-model" });
    await expect(wrong).rejects.toBeInstanceOf(APIError);
    await expect(wrong).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });
});
