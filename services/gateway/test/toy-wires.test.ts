// First, because some lists of wires are copied when a service is loaded.
import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { service as audio } from "@modelgate/audio";
import { service as media } from "@modelgate/media";
import { service as realtime } from "@modelgate/realtime";
import { service as text } from "@modelgate/text";
import { service as video } from "@modelgate/video";
import {
  sendEvent,
  startScriptedServer,
  startSessionVendor,
  type ScriptedRequest,
  type ScriptedServer,
} from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { framed, lengthPrefixed } from "../../../libs/wires/test/toys/text/framing.ts";
import { openSession } from "../../realtime/test/start-sessions.ts";
import { ask as askVideo, ended, quickLimits } from "../../video/test/films.ts";

describe("text", () => {
  let vendor: ScriptedServer;
  let area: Area;
  beforeAll(async () => {
    vendor = await startScriptedServer((request, response) => {
      const { n, q, lines } = JSON.parse(request.body);
      if (lines !== undefined) return answerText(request, response);
      if (q !== undefined) return { body: { order: [1, 0], spent: 5 } };
      return { body: { points: Array.from({ length: n }, (_, at) => at), bad: [true, false], spent: 5 } };
    });
    const price = { input: 1 };
    const config = toyConfig(vendor.url, {
      embedding: price,
      rerank: price,
      moderation: price,
      chat: { input: 1, output: 10 },
    });
    area = await startArea(text, { config });
  });
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]();
    await vendor?.[Symbol.asyncDispose]();
  });

  /** Repeats the text of a request, or fails on request. */
  function answerText({ body }: ScriptedRequest, response: ServerResponse) {
    const { lines, live }: { readonly lines: readonly string[]; readonly live: boolean } = JSON.parse(body);
    const [text, spent] = [lines.join(" "), { in: 7, out: 3 }];
    if (!live) return { body: { text, spent } };
    response.writeHead(200, { "content-type": lengthPrefixed.mediaType });
    const pieces = text.includes("fail")
      ? [{ problem: { words: "no" } }]
      : [...text.split(" ").map((word) => ({ delta: `${word} ` })), { spent }];
    const stream = Buffer.concat([framed(""), ...pieces.map((piece) => framed(JSON.stringify(piece)))]);
    // Splits a frame.
    const middle = pieces.length === 1 ? stream.length : Math.floor(stream.length / 3);
    response.write(stream.subarray(0, middle));
    setImmediate(() => response.end(stream.subarray(middle)));
    return undefined;
  }

  /** Calls an endpoint. Returns the answer, the vendor's requests and the charged units. */
  async function call(path: string, body: object) {
    vendor.requests.length = 0;
    const response = await area.post(path, body, toyKey);
    const json: any = await response.json();
    const { units } = await area.eventOf(response.headers.get("x-request-id"));
    return { json, sent: vendor.requests.map((request) => JSON.parse(request.body)), units };
  }

  test("a wire for embeddings can be added whose vendor accepts two texts at a time", async () => {
    const { json, sent, units } = await call("/v1/embeddings", { model: "my-embedding", input: ["a", "b", "c"] });
    expect(sent).toEqual([
      { who: "theirs", n: 2 },
      { who: "theirs", n: 1 },
    ]);
    expect(json).toMatchObject({
      model: "my-embedding",
      data: [{ embedding: [0] }, { embedding: [1] }, { embedding: [0] }],
      usage: { prompt_tokens: 10 },
    });
    expect(units).toMatchObject({ inputTokens: 10 });
  });

  test("a wire for reranking can be added", async () => {
    const { json, sent, units } = await call("/v1/rerank", { model: "my-rerank", query: "q", documents: ["a", "b"] });
    expect(sent).toEqual([{ q: "q", of: ["a", "b"] }]);
    expect(json.results).toMatchObject([{ index: 1 }, { index: 0 }]);
    expect(units).toMatchObject({ inputTokens: 5 });
  });

  test("a wire for moderation can be added", async () => {
    const { json, sent, units } = await call("/v1/moderations", { model: "my-moderation", input: ["a", "b"] });
    expect(sent).toEqual([{ n: 2 }]);
    expect(json.results).toMatchObject([{ flagged: true }, { flagged: false }]);
    expect(units).toMatchObject({ inputTokens: 5 });
  });

  describe("a wire of text with streams that are not events can be added for vendors only", () => {
    const model = "my-chat";
    const turns = [{ role: "user", content: "Say it again" }];
    const contents = [{ role: "user", parts: [{ text: "Say it again" }] }];
    const clients = (stream: boolean): readonly (readonly [path: string, body: object])[] => [
      ["/v1/chat/completions", { model, stream, messages: turns }],
      ["/v1/messages", { model, stream, max_tokens: 50, messages: turns }],
      ["/v1/responses", { model, stream, input: turns }],
      [`/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`, { contents }],
      ["/v1/completions", { model, stream, prompt: "Say it again" }],
    ];
    const ask = (path: string, body: object) => area.post(path, body, toyKey, { "anthropic-version": "2023-06-01" });

    test.each([
      [false, "application/json", "Say it again"],
      [true, "text/event-stream", '"again "'],
    ])("and is converted for each client, at the usage that its vendor reported; streamed: %s", async (...row) => {
      const [stream, type, words] = row;
      for (const [path, body] of clients(stream)) {
        const answer = await ask(path, body);
        expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.stringContaining(words)]);
        expect(answer.headers.get("content-type")).toContain(type);
        expect(JSON.parse(vendor.requests.at(-1)?.body ?? "")).toMatchObject({ lines: ["Say it again"], live: stream });
        // 7 input tokens at $1 and 3 output tokens at $10 per million.
        expect((await area.eventOf(answer.headers.get("x-request-id"))).costNanos).toBe("37000");
      }
    });

    test("and a stream that begins with an error fails before its client's answer begins", async () => {
      const messages = [{ role: "user", content: "fail" }];
      expect((await ask("/v1/chat/completions", { model, stream: true, messages })).status).toBe(502);
    });
  });
});

test("a wire of images can be added", async () => {
  await using vendor = await startScriptedServer(() => ({ body: { at: "https://a.example/x.png" } }));
  await using area = await startArea(media, { config: toyConfig(vendor.url, { image: { image: 0.04 } }) });
  const response = await area.post("/v1/images/generations", { model: "my-image", prompt: "a fox" }, toyKey);
  expect(await response.json()).toMatchObject({ data: [{ url: "https://a.example/x.png" }] });
  expect(vendor.requests.map(({ body }) => JSON.parse(body))).toEqual([{ draw: "a fox" }]);
  expect(await area.eventOf(response.headers.get("x-request-id"))).toMatchObject({ units: { images: 1 } });
});

describe("audio", () => {
  let vendor: ScriptedServer;
  let area: Area;
  beforeAll(async () => {
    vendor = await startScriptedServer(() => ({ body: { sound: "hm", words: "Hallo", spent: 5 } }));
    const prices = { speech: { input: 1, outputAudio: 10 }, transcription: { input: 1 } };
    area = await startArea(audio, { config: toyConfig(vendor.url, prices) });
  });
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]();
    await vendor?.[Symbol.asyncDispose]();
  });

  test("a wire of speech can be added", async () => {
    const body = { model: "my-speech", input: "Hi", voice: "v", response_format: "pcm" };
    const response = await area.post("/v1/audio/speech", body, toyKey);
    expect([response.headers.get("content-type"), await response.text()]).toEqual(["audio/pcm", "hm"]);
    expect(vendor.requests.at(-1)).toMatchObject({ body: '{"speak":"Hi"}', url: "/answer?fast=1" });
    const { units } = await area.eventOf(response.headers.get("x-request-id"));
    expect(units).toMatchObject({ inputTokens: 5, outputAudioTokens: 7 });
  });

  test("a wire of transcripts can be added whose vendor gets the file as the body", async () => {
    const form = new FormData();
    form.set("model", "my-transcription");
    form.set("language", "de");
    form.set("file", new File(["wav"], "a.wav", { type: "audio/wav" }));
    const response = await area.post("/v1/audio/transcriptions", form, toyKey);
    expect(await response.json()).toMatchObject({ text: "Hallo", usage: { input_tokens: 5 } });
    expect(vendor.requests.at(-1)).toMatchObject({ body: "wav", url: "/answer?tongue=de" });
    const { units } = await area.eventOf(response.headers.get("x-request-id"));
    expect(units).toMatchObject({ inputTokens: 5 });
  });
});

test("a wire of sessions can be added", async () => {
  await using vendor = await startSessionVendor({
    received({ act }, socket) {
      if (act !== "response.create") return;
      const usage = { input_tokens: 2, output_tokens: 3 };
      sendEvent(socket, { act: "response.created", response: { id: "r", status: "in_progress" } });
      sendEvent(socket, { act: "response.done", response: { id: "r", status: "completed", usage } });
    },
  });
  await using area = await startArea(realtime, {
    config: toyConfig(vendor.url, { realtime: { input: 1, output: 10 } }),
  });
  const session = await openSession(area, { model: "my-realtime", key: toyKey });
  session.send({ type: "response.create" });
  expect(await session.next("response.done")).toMatchObject({ response: { status: "completed" } });
  expect(vendor.events).toEqual([{ act: "response.create" }]);
  session.socket.close();
  await session.closed;
  // 2 input tokens at $1 and 3 output tokens at $10 per million.
  expect((await area.settled("demo")).spentNanos).toBe(32_000n);
});

test("a wire of video tasks can be added", async () => {
  await using vendor = await startScriptedServer({
    "/start": { body: { ticket: "t" } },
    "/poll/t": { body: { film: "https://a.example/x.mp4" } },
  });
  const config = toyConfig(vendor.url, { video: { second: 0.1 } });
  await using area = await startArea(video, { config, limits: quickLimits });
  const body = { model: "my-video", prompt: "a fox", duration: 4 };
  const { json } = await askVideo(area, "/v1/video/generations", body, { key: toyKey });
  expect(JSON.parse(vendor.requests[0]?.body ?? "")).toEqual({ film: "a fox", seconds: 4 });
  expect(await ended(area, json.id, toyKey)).toMatchObject({ status: "completed", seconds: "4" });
  const { spentNanos } = await area.settled("demo");
  expect(spentNanos).toBe(400_000_000n);
});
