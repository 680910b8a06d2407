import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { brokenStreams } from "./broken-streams.ts";
import { storedEvents } from "./events.ts";
import { channel, config as baseConfig, hello, keys, post, sdk, settledMoney } from "./suite-client.ts";

let suite: Suite;
beforeAll(async () => {
  const models = {
    chat: baseConfig.models.chat,
    tokens: { kind: "image", price: { input: 10, output: 40 } },
    "tts-events": { kind: "speech", price: { input: 0.6, outputAudio: 12 } },
    "gpt-4o-transcribe": { kind: "transcription", price: { input: 2.5, inputAudio: 6, output: 10 } },
  };
  const channels = [
    channel("main", {
      chat: "chat",
      tokens: "gpt-image-1",
      "tts-events": "tts",
      "gpt-4o-transcribe": "gpt-4o-transcribe",
    }),
  ];
  // Separate processes, so that the edge answers for a killed service.
  suite = await startSuite({
    shape: "apart",
    config: { ...baseConfig, models, channels },
    limits: { relay: { limits: { leaseMs: 1_500 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const slow = 'Hi {{simulate: {"chunks": 8000, "chunkDelayMs": 50}}}';

interface Open {
  readonly begun: Promise<void>;
  readonly text: Promise<string>;
}

function open(path: string, body: object, headers: Record<string, string> = {}): Open {
  const begun = Promise.withResolvers<void>();
  async function read(): Promise<string> {
    const answer = await fetch(suite.edgeUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    let text = `${answer.status} `;
    for await (const piece of answer.body ?? []) {
      text += Buffer.from(piece).toString();
      begun.resolve();
    }
    return text;
  }
  const text = read();
  text.catch(begun.reject);
  return { begun: begun.promise, text };
}

async function kill(name: "text" | "media" | "audio"): Promise<void> {
  suite.process(name).signal("SIGKILL");
  await suite.process(name).ended;
}

const overloaded = "server_overloaded";
const streamsPerWire = 3;
const wires = Array.from({ length: streamsPerWire }, () => brokenStreams("chat", slow)).flat();

describe("text is killed", () => {
  test("every open stream of every wire ends with its wire's error, a call without a first byte gets 503", async () => {
    const streams = wires.map(({ path, body }) => open(path, body, { "anthropic-version": "2023-06-01" }));
    const whole = post(suite, hello("chat", 'Hi {{simulate: {"delayMs": 60000}}}'));
    await Promise.all(streams.map(({ begun }) => begun));
    await until(
      "the complete call to reach the vendor",
      async () => (await suite.simulator.requests("main")).length === wires.length + 1,
    );
    await kill("text");
    const texts = await Promise.all(streams.map(({ text }) => text));
    for (const [at, { name, broken: ending }] of wires.entries()) expect(texts[at], name).toMatch(ending);
    // The last stream is a JSON array, which the error ends. `slice(4)` removes the status before it.
    const array: unknown = JSON.parse((texts.at(-1) ?? "").slice(4));
    expect(array).toBeInstanceOf(Array);
    const refused = await whole;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ error: { code: overloaded } });
    await settledMoney(suite);
    await until("an event of each", async () => {
      const events = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
      return events.filter(({ outcome }) => outcome === "failed").length === wires.length + 1;
    });
    await suite.restart("text");
    await until("calls to pass", async () => (await fetch(`${suite.opsUrl("text")}/readyz`)).ok);
  });

  test("the official SDKs throw the error of their wire", async () => {
    const openai = sdk(suite);
    const anthropic = new Anthropic({ baseURL: suite.edgeUrl, apiKey: keys.demo, maxRetries: 0 });
    const google = new GoogleGenAI({ apiKey: keys.demo, httpOptions: { baseUrl: suite.edgeUrl } });
    let begun = 0;
    const drain = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const event of stream) if (all.push(event) === 1) begun++;
      return all;
    };
    const outcomes = Promise.allSettled([
      openai.chat.completions.create({ ...hello("chat", slow), stream: true }).then(drain),
      openai.completions.create({ model: "chat", prompt: slow, stream: true }).then(drain),
      anthropic.messages.create({ ...hello("chat", slow), max_tokens: 100_000, stream: true }).then(drain),
      google.models.generateContentStream({ model: "chat", contents: slow }).then(drain),
      openai.responses.create({ model: "chat", input: slow, stream: true }).then(drain),
    ]);
    await until("all streams to begin", () => begun === 5);
    await kill("text");
    const [chat, completion, message, content, response] = await outcomes;
    expect(chat).toMatchObject({ status: "rejected", reason: { code: overloaded, constructor: OpenAI.APIError } });
    expect(completion).toMatchObject({ status: "rejected", reason: { code: overloaded } });
    expect(message).toMatchObject({ status: "rejected", reason: { error: { error: { type: "overloaded_error" } } } });
    expect(content).toMatchObject({ status: "rejected", reason: { name: "ApiError", status: 503 } });
    expect(response).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringMatching(/ended (its answer early|unexpectedly)/) },
    });
  });
});

test("media is killed: a stream of images ends with its wire's error", async () => {
  const body = {
    model: "tokens",
    prompt: 'a fox {{simulate: {"chunkDelayMs": 1000}}}',
    stream: true,
    partial_images: 2,
  };
  const stream = open("/v1/images/generations", body);
  await stream.begun;
  await kill("media");
  expect(await stream.text).toMatch(
    /event: error\ndata: \{"type":"error","error":\{.*"code":"server_overloaded"\}\}\n\n$/,
  );
});

test("audio is killed: speech as events ends with an error event, speech as bytes is cut", async () => {
  const input = 'Hello there, listen to this. {{simulate: {"chunks": 200, "chunkDelayMs": 100}}}';
  const eventStream = open("/v1/audio/speech", { model: "tts-events", voice: "alloy", input, stream_format: "sse" });
  const bytes = open("/v1/audio/speech", { model: "tts-events", voice: "alloy", input });
  await Promise.all([eventStream.begun, bytes.begun]);
  await kill("audio");
  expect(await eventStream.text).toMatch(/\n\ndata: \{"type":"error","error":\{.*"code":"server_overloaded"\}\}\n\n$/);
  await expect(bytes.text).rejects.toThrow();
});
