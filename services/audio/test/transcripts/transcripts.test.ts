import { createHash } from "node:crypto";
import { createServer, request } from "node:http";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listen, until } from "@modelgate/testkit";
import { startArea, type Area, type AreaOptions } from "../../../../libs/relay/test/area.ts";
import { channel, config as baseConfig, keys } from "../../../../libs/relay/test/config.ts";
import { service } from "../../src/service.ts";

const config = {
  ...baseConfig,
  models: {
    "whisper-1": { kind: "transcription", price: { second: 0.0001 } },
    "gpt-4o-transcribe": { kind: "transcription", price: { input: 2.5, inputAudio: 6, output: 10 } },
    scribe: { kind: "transcription", price: { second: 0.0001 } },
    hasty: { kind: "transcription", price: { second: 0.0001 } },
    watched: { kind: "transcription", price: { second: 0.0001 } },
    "watched-dearly": { kind: "transcription", price: { second: 0.1 } },
    "writes-only": { kind: "transcription", price: { second: 0.0001 } },
    dear: { kind: "transcription", price: { second: 0.05 } },
    absent: { kind: "transcription", price: { second: 1 }, fallbacks: ["whisper-1"] },
    chat: { kind: "chat", price: { input: 1 } },
  },
  channels: [
    channel("first", ["whisper-1", "gpt-4o-transcribe", "dear", "chat"], { priority: 10 }),
    channel("second", ["whisper-1"]),
    channel("nowhere", ["absent"], { baseUrl: "http://127.0.0.1:9/v1" }),
    channel("third", { scribe: "gpt-4o-mini-transcribe" }, { priority: 10 }),
    channel("fourth", { scribe: "whisper-1" }),
    channel("fifth", { "writes-only": "gpt-4o-transcribe" }),
  ],
};

let area: Area;
/** Configuration and environment of the area. */
let setup: Pick<AreaOptions, "config" | "env">;
let watched: Awaited<ReturnType<typeof startWatched>>;
let client: OpenAI;
let folder: string;
let wav: Buffer;
let mp3: Buffer;
/** Text of the samples, with 60 ms per character. */
const spokenText = "This is what is said, and heard again.";
const seconds = spokenText.length * 0.06;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-spool-"));
  const env = {
    SPOOL_FOLDER: folder,
    FILE_BYTES: "2000000",
    HEARTBEAT_MS: "100",
  };
  watched = await startWatched();
  const channels = [
    ...config.channels,
    channel("watched", ["watched", "watched-dearly"], { baseUrl: `${watched.url}/v1` }),
    channel("hasty", ["hasty"], { baseUrl: `${watched.url}/hasty`, priority: 10 }),
    channel("patient", ["hasty"], { baseUrl: `${watched.url}/v1` }),
  ];
  setup = { config: { ...config, channels }, env };
  area = await startArea(service, {
    ...setup,
    limits: { audio: { form: { parts: 20 }, relay: { detachedAnswers: { ms: 500 } } } },
  });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
  const vendor = new OpenAI({ baseURL: `${area.simulator.url}/openai/v1`, apiKey: "any" });
  const speak = async (response_format: "wav" | "mp3") =>
    Buffer.from(
      await (
        await vendor.audio.speech.create({ model: "m", voice: "alloy", input: spokenText, response_format })
      ).arrayBuffer(),
    );
  [wav, mp3] = await Promise.all([speak("wav"), speak("mp3")]);
});
afterAll(async () => {
  watched?.[Symbol.dispose]();
  await area?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
// Ends the channel's cooldown after a failure in the previous test.
beforeEach(async () => {
  const ids = ["first", "second", "third"];
  await Promise.all(ids.flatMap((id) => [area.simulator.script(id, []), area.simulator.forget(id)]));
  await area.enable("first");
});

const settled = async (account = "demo"): Promise<bigint> => (await area.settled(account)).balanceNanos;
const perSecond = (length: number): bigint => BigInt(Math.round(length * 100_000));
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const lastRequest = async (id = "first") => (await area.simulator.requests(id)).at(-1);
const wavFile = () => toFile(wav, "speech.wav", { type: "audio/wav" });

describe("the official SDK gets", () => {
  test("json, the file arrives unchanged, and each second is charged once", async () => {
    const before = await settled();
    const answer = await client.audio.transcriptions.create({
      model: "whisper-1",
      file: await wavFile(),
      language: "en",
    });
    expect(answer.text).toBe("we heard this file");
    expect(before - (await settled())).toBe(perSecond(seconds));
    const request = await lastRequest();
    expect(request?.files).toEqual([
      { name: "file", filename: "speech.wav", contentType: "audio/wav", bytes: wav.length, sha256: sha256(wav) },
    ]);
    expect(request?.fields).toEqual([
      ["model", "whisper-1"],
      ["language", "en"],
      ["response_format", "json"],
    ]);
    expect(request?.headers["authorization"]).toBe("Bearer key-of-first");
  });

  test.each([
    ["text", "text/plain", /^we heard this file\n$/],
    ["srt", "application/x-subrip", /^1\n00:00:00,000 --> 00:00:02,280\nwe heard this file\n\n$/],
    ["vtt", "text/vtt", /^WEBVTT\n\n00:00:00.000 --> 00:00:02.280\nwe heard this file\n\n$/],
  ] as const)("%s, created by the gateway and equal to the vendor's", async (response_format, type, expected) => {
    const file = await wavFile();
    const request = { model: "whisper-1", file, response_format };
    const { data, response } = await client.audio.transcriptions.create(request).withResponse();
    expect(data).toMatch(expected);
    expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    const vendor = new OpenAI({ baseURL: `${area.simulator.url}/openai/v1`, apiKey: "any" });
    expect(await vendor.audio.transcriptions.create(request)).toBe(data);
  });

  test("verbose_json with words and segments, unchanged from the vendor", async () => {
    const answer = await client.audio.transcriptions.create({
      model: "whisper-1",
      file: await wavFile(),
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
      temperature: 0.2,
      prompt: "Names: Ada",
    });
    expect(answer.duration).toBeCloseTo(seconds);
    expect(answer.words).toHaveLength(4);
    expect(answer.segments).toHaveLength(1);
    expect((await lastRequest())?.fields).toEqual([
      ["model", "whisper-1"],
      ["prompt", "Names: Ada"],
      ["response_format", "verbose_json"],
      ["temperature", "0.2"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
    ]);
  });

  test("a stream, and is charged for the reported tokens", async () => {
    const before = await settled();
    const stream = await client.audio.transcriptions.create({
      model: "gpt-4o-transcribe",
      file: await wavFile(),
      stream: true,
      include: ["logprobs"],
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(
      events
        .slice(0, -1)
        .map((event) => ("delta" in event ? event.delta : ""))
        .join(""),
    ).toBe("we heard this file");
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", usage: { type: "tokens" } });
    // 10 audio tokens per second at $6 per million, 5 text tokens at $10 per million.
    expect(before - (await settled())).toBe(BigInt(Math.ceil(seconds * 10)) * 6_000n + 5n * 10_000n);
    expect((await lastRequest())?.fields).toContainEqual(["include[]", "logprobs"]);
  });

  test("a stream from a vendor without streams", async () => {
    const events = [];
    for await (const event of await client.audio.transcriptions.create({
      model: "whisper-1",
      file: await wavFile(),
      stream: true,
    }))
      events.push(event);
    expect(events).toMatchObject([
      { type: "transcript.text.delta", delta: "we heard this file" },
      { type: "transcript.text.done", text: "we heard this file" },
    ]);
  });

  test.each(["json", "srt"] as const)("a translation as %s", async (response_format) => {
    const before = await settled();
    const answer: unknown = await client.audio.translations.create({
      model: "whisper-1",
      file: await toFile(mp3, "speech.mp3"),
      response_format,
    });
    expect(JSON.stringify(answer)).toContain("we heard this file");
    const paid = Number(before - (await settled())) / 100_000;
    // An MP3 frame is 48 ms, and the encoder adds one at the start and at the end.
    expect(Math.abs(paid - seconds)).toBeLessThan(0.1);
    expect((await lastRequest())?.path).toContain("/audio/translations");
  });
});

interface ReceivedRequest {
  bytes: number;
  isWhole: boolean;
  isClosed: boolean;
}

/** Starts a vendor with a separate connection, so that a test can observe an upload in progress. */
async function startWatched() {
  const receivedRequests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    const received: ReceivedRequest = { bytes: 0, isWhole: false, isClosed: false };
    receivedRequests.push(received);
    // Requests to this path are refused immediately, without reading the body.
    if (incoming.url?.startsWith("/hasty") === true) {
      response.writeHead(503).end();
      return;
    }
    incoming.on("data", (chunk: Buffer) => (received.bytes += chunk.length));
    incoming.on("end", () => {
      received.isWhole = true;
      response.writeHead(200, { "content-type": "application/json" }).end('{"text":"heard"}');
    });
    response.on("close", () => (received.isClosed = true));
  });
  return {
    url: await listen(server),
    next: () => until("the call to reach the vendor", () => receivedRequests.shift()),
    [Symbol.dispose]: () => server.closeAllConnections(),
  };
}

/** Boundary of forms that are written without a library. */
const boundary = "by-hand";
const field = (name: string, value: string): Buffer =>
  Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
const file = (bytes: Buffer, name = "file", filename = "a.wav"): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\ncontent-type: audio/wav\r\n\r\n`,
    ),
    bytes,
    Buffer.from("\r\n"),
  ]);
const end = Buffer.from(`--${boundary}--\r\n`);
const send = (parts: readonly Buffer[], key: string = keys.demo, path = "transcriptions") =>
  fetch(`${area.url}/v1/audio/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` },
    body: new Uint8Array(Buffer.concat(parts)),
  });

/** Starts an upload; more can be sent, and the client can disconnect. */
function startUpload(parts: readonly Buffer[], announced?: number, { url } = area) {
  const upload = request(`${url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...(announced === undefined ? {} : { "content-length": announced }),
    },
  });
  upload.on("error", () => undefined);
  upload.write(Buffer.concat(parts));
  const answerPromise = new Promise<{ status: number; body: string }>((resolve) => {
    upload.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
  });
  return { upload, answered: answerPromise };
}

/** Returns the unnamed files that this process has open. */
function spooled(): readonly string[] {
  const fds = `/proc/${process.pid}/fd`;
  return readdirSync(fds).flatMap((fd) => {
    try {
      const target = readlinkSync(join(fds, fd));
      return target.includes(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}
const nothingLeft = () => until("no files on disk", () => spooled().length === 0 && readdirSync(folder).length === 0);

describe("fields in any order", () => {
  const parts = () => ({
    model: field("model", "whisper-1"),
    format: field("response_format", "verbose_json"),
    times: field("timestamp_granularities[]", "word"),
    file: file(wav),
  });
  test.each([
    ["before the file", ["model", "format", "times", "file"]],
    ["after the file", ["file", "model", "format", "times"]],
    ["around the file", ["format", "file", "times", "model"]],
    ["only the model before it", ["model", "file", "format", "times"]],
  ] as const)("%s", async (_, order) => {
    const before = await settled();
    const answer = await send([...order.map((name) => parts()[name]), end]);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ task: "transcribe", words: [{ word: "we" }, {}, {}, {}] });
    expect((await lastRequest())?.files?.[0]?.sha256).toBe(sha256(wav));
    expect(before - (await settled())).toBe(perSecond(seconds));
    await nothingLeft();
  });

  test("a vendor whose model returns no timestamps is skipped for subtitles, and the call is refused if there is no other", async () => {
    const srt = field("response_format", "srt");
    const answer = await send([field("model", "scribe"), srt, file(wav), end]);
    expect(answer.status).toBe(200);
    expect(await area.simulator.requests("third")).toHaveLength(0);
    for (const order of [
      [srt, file(wav)],
      [file(wav), srt],
    ]) {
      const refused = await send([field("model", "writes-only"), ...order, end]);
      expect({ status: refused.status, body: await refused.json() }).toMatchObject({
        status: 400,
        body: { error: { code: "unsupported_parameter", param: "response_format" } },
      });
    }
  });
});

describe("requests that are refused in their format, and cost nothing", () => {
  const valid = () => [field("model", "whisper-1"), file(wav)];
  test.each<[string, () => Buffer[], number, object]>([
    ["no file", () => [field("model", "whisper-1"), end], 400, { param: "file", code: "missing_required_parameter" }],
    ["an empty file", () => [field("model", "whisper-1"), file(Buffer.alloc(0)), end], 400, { param: "file" }],
    [
      "a field in place of a file",
      () => [field("model", "whisper-1"), field("file", "x"), end],
      400,
      { param: "file" },
    ],
    ["a file in another field", () => [field("model", "whisper-1"), file(wav, "audio"), end], 400, { param: "audio" }],
    ["a file of another store", () => [...valid(), field("file_ids[]", "file-1"), end], 400, { param: "file_ids" }],
    ["two files", () => [...valid(), file(wav), end], 413, { code: "request_too_large" }],
    [
      "a file too large",
      () => [field("model", "whisper-1"), file(Buffer.alloc(2_100_000)), end],
      413,
      { param: "file" },
    ],
    ["a model of another kind", () => [field("model", "chat"), file(wav), end], 404, { code: "model_not_found" }],
    [
      "an incomplete form",
      () => valid().map((part, at) => (at === 1 ? part.subarray(0, -50) : part)),
      400,
      { code: "invalid_value" },
    ],
    [
      "too many parts",
      () => [...valid(), ...Array<Buffer>(100_000).fill(field("x", "y")), end],
      413,
      { code: "request_too_large" },
    ],
    [
      "a file that is not audio",
      () => [field("model", "whisper-1"), file(Buffer.from("no sound at all")), end],
      400,
      { param: "file" },
    ],
  ])("%s", async (_, parts, status, error) => {
    const before = await settled();
    const answer = await send(parts());
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body: { error } });
    expect(await settled()).toBe(before);
    await nothingLeft();
  });

  test("no form, or one without a boundary", async () => {
    for (const [type, status] of [
      ["application/json", 415],
      ["multipart/form-data", 400],
    ] as const) {
      const answer = await fetch(`${area.url}/v1/audio/translations`, {
        method: "POST",
        headers: { authorization: `Bearer ${keys.demo}`, "content-type": type },
        body: "{}",
      });
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ error: { param: "content-type" } });
    }
  });

  test("an account that cannot pay for the seconds, before the vendor is called", async () => {
    const answer = await send([field("model", "dear"), file(wav), end], keys.poor);
    expect(answer.status).toBe(402);
    expect(await area.simulator.requests("first")).toHaveLength(0);
  });
});

describe("the hold and the charge are for a file's actual content, regardless of its header", () => {
  /** Returns the beginning of a WAV file whose header states this many data bytes. */
  const wavStating = (bytes: number): Buffer => {
    const changed = Buffer.from(wav);
    changed.writeUInt32LE(bytes, changed.indexOf("data") + 4);
    return changed;
  };
  test.each([
    { states: "all ones, as ffmpeg leaves it", bytes: 0xff_ff_ff_ff, path: "transcriptions" },
    { states: "all ones, to be translated", bytes: 0xff_ff_ff_ff, path: "translations" },
  ])("a WAV that states $states", async ({ bytes, path }) => {
    const before = await settled();
    // At $0.10 per second; the account's balance covers a hundred seconds.
    for (const parts of [
      [field("model", "watched-dearly"), file(wavStating(bytes))],
      [file(wavStating(bytes)), field("model", "watched-dearly")],
    ]) {
      const answer = await send([...parts, end], keys.demo, path);
      expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { text: "heard" } });
      await watched.next();
    }
    expect(before - (await settled())).toBe(2n * 1_000n * perSecond(seconds));
  });

  test("an unreadable file, by its bytes at the rate of speech", async () => {
    const before = await settled();
    const noise = Buffer.alloc(40_000, "no sound at all");
    const answer = await send([field("model", "watched-dearly"), file(noise, "file", "a.bin"), end]);
    expect(answer.status).toBe(200);
    await watched.next();
    expect(before - (await settled())).toBe(1_000n * perSecond(10));
  });
});

describe("a client", () => {
  test("that disconnects before its answer is charged for its file, and its vendor is read only for a limited time", async () => {
    const before = await settled();
    await area.simulator.script("first", [{ delayMs: 20_000 }]);
    const { upload } = startUpload(
      [field("model", "whisper-1"), file(wav), end],
      Buffer.concat([field("model", "whisper-1"), file(wav), end]).length,
    );
    await until("the request to reach the vendor", async () => (await lastRequest()) !== undefined);
    upload.destroy();
    await until("the vendor to notice the disconnect", async () => (await lastRequest())?.aborted);
    await nothingLeft();
    expect(await settled()).toBeLessThan(before);
  });
});

test.each([
  ["another channel, if the answer of the first cannot be read", "whisper-1"],
  ["the fallback, if the model has no channel that works", "absent"],
])("a file is transcribed by %s, at its price", async (_, model) => {
  const before = await settled();
  await area.simulator.script("first", [{ malformed: true }]);
  const answer = await client.audio.transcriptions.create({ model, file: await wavFile() });
  expect(answer.text).toBe("we heard this file");
  expect(await area.simulator.requests("second")).toHaveLength(1);
  expect(before - (await settled())).toBe(perSecond(seconds));
});

describe("a vendor with a separate connection", () => {
  const whole = () => Buffer.concat([field("model", "watched"), file(wav), field("response_format", "text"), end]);

  test("receives the beginning of the file before the client has sent the end", async () => {
    const bytes = whole();
    const { upload, answered } = startUpload([bytes.subarray(0, 60_000)], bytes.length);
    const received = await watched.next();
    await until("the file's beginning", () => received.bytes > 40_000);
    expect(received.isWhole).toBe(false);
    upload.end(bytes.subarray(60_000));
    expect(await answered).toEqual({ status: 200, body: "heard\n" });
  });

  test("gets its connection closed, without a charge, when the client leaves in the middle", async () => {
    const before = await settled();
    const bytes = whole();
    const { upload } = startUpload([bytes.subarray(0, 60_000)], bytes.length);
    const received = await watched.next();
    await until("the file's beginning", () => received.bytes > 40_000);
    upload.destroy();
    await until("the line to close", () => received.isClosed);
    await nothingLeft();
    expect(await settled()).toBe(before);
  });

  test("gets its connection closed, without a charge, when the client falls silent in the middle", async () => {
    const before = await settled();
    const limits = { audio: { relay: { pace: { silenceMs: 1_000 } } } };
    await using impatient = await startArea(service, { ...setup, limits, sameBackendsAs: area });
    const bytes = whole();
    const { upload, answered } = startUpload([bytes.subarray(0, 60_000)], bytes.length, impatient);
    const received = await watched.next();
    const { status, body } = await answered;
    expect({ status, body: JSON.parse(body) }).toMatchObject({
      status: 408,
      body: { error: { code: "request_timeout" } },
    });
    await until("the line to close", () => received.isClosed);
    upload.destroy();
    await nothingLeft();
    expect(await settled()).toBe(before);
  });

  test("that refuses before reading is replaced by another, which gets the file from its first byte", async () => {
    const bytes = Buffer.concat([field("model", "hasty"), file(wav), end]);
    const { upload, answered } = startUpload([bytes.subarray(0, 60_000)], bytes.length);
    await watched.next();
    const longTimeout = await watched.next();
    upload.end(bytes.subarray(60_000));
    expect((await answered).status).toBe(200);
    expect(longTimeout.bytes).toBeGreaterThan(wav.length);
  });

  test("never receives the end of an invalid form", async () => {
    const bytes = Buffer.concat([field("model", "watched"), file(wav), field("response_format", "xml"), end]);
    const { upload, answered } = startUpload([bytes.subarray(0, 60_000)], bytes.length);
    const received = await watched.next();
    upload.end(bytes.subarray(60_000));
    const { status, body } = await answered;
    expect({ status, body: JSON.parse(body) }).toMatchObject({
      status: 400,
      body: { error: { param: "response_format" } },
    });
    await until("the line to close", () => received.isClosed);
    expect(received.isWhole).toBe(false);
  });
});

describe("before the vendor has started its answer", () => {
  const streamed = () => ({
    model: field("model", "gpt-4o-transcribe"),
    stream: field("stream", "true"),
    file: file(wav),
  });
  test.each([
    ["before", ["model", "stream", "file"]],
    ["after", ["model", "file", "stream"]],
  ] as const)("a stream that is requested %s the file sends heartbeats", async (_, order) => {
    await area.simulator.script("first", [{ delayMs: 500 }]);
    const answer = await send([...order.map((name) => streamed()[name]), end]);
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await answer.text()).toMatch(/^(?:: keep-alive\n\n)+data: \{"type":"transcript\.text\.delta"/);
  });

  test("a failure after heartbeats is sent in the stream, and costs nothing", async () => {
    const before = await settled();
    await area.simulator.script("first", [{ delayMs: 500, status: 500, repeat: true }]);
    const answer = await send([...Object.values(streamed()), end]);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(
      /^(?:: keep-alive\n\n)+data: \{"type":"error","error":\{.*"upstream_error".*\n\n$/,
    );
    expect(await settled()).toBe(before);
  });

  test("an answer without streaming gets no heartbeats", async () => {
    await area.simulator.script("first", [{ delayMs: 500 }]);
    const answer = await send([field("model", "whisper-1"), file(wav), end]);
    expect(await answer.json()).toMatchObject({ text: "we heard this file" });
  });
});
