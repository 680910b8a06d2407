import OpenAI, { toFile } from "openai";
import { parseBuffer } from "music-metadata";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

const key = "sk-demo-0123456789abcdef";
const vendors = {
  elevenlabs: { provider: "elevenlabs", path: "/elevenlabs" },
  deepgram: { provider: "deepgram", path: "/deepgram" },
  gemini: { provider: "gemini", path: "/gemini" },
  vertex: { provider: "vertex", path: "/vertex/v1/projects/p/locations/us-central1" },
} as const;
type Name = keyof typeof vendors;
const speaking: Readonly<Record<Name, string>> = {
  elevenlabs: "eleven_v3",
  deepgram: "aura-2",
  gemini: "gemini-2.5-flash-preview-tts",
  vertex: "gemini-2.5-flash-tts",
};
const hearing: Readonly<Record<Name, string>> = {
  elevenlabs: "scribe_v2",
  deepgram: "nova-3",
  gemini: "gemini-3-flash",
  vertex: "gemini-3-flash",
};
const byTokens: ReadonlySet<string> = new Set(["gemini", "vertex"]);
const names: readonly Name[] = ["elevenlabs", "deepgram", "gemini", "vertex"];
const tokenPrice = { input: 1, inputAudio: 2, output: 4, outputAudio: 8 };

let area: Area;
let client: OpenAI;
let wav: Buffer;
const input = "This is what is said, and heard again.";
/** Length of the speech in seconds, with 60 ms per character. */
const seconds = input.length * 0.06;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        names.flatMap((name) => [
          [`${name}-speech`, { kind: "speech", price: byTokens.has(name) ? tokenPrice : { character: 0.00003 } }],
          [
            `${name}-transcription`,
            { kind: "transcription", price: byTokens.has(name) ? tokenPrice : { second: 0.0001 } },
          ],
        ]),
      ),
      channels: names.map((name) => ({
        id: name,
        provider: vendors[name].provider,
        baseUrl: `\${SIMULATOR_URL}/at/${name}${vendors[name].path}`,
        keys: ["ya29.key"],
        models: { [`${name}-speech`]: speaking[name], [`${name}-transcription`]: hearing[name] },
      })),
      accounts: { demo: { balance: "10", tokens: [{ key, group: "default" }] } },
    },
  });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: key, maxRetries: 0 });
  const vendor = new OpenAI({ baseURL: `${area.simulator.url}/openai/v1`, apiKey: "any" });
  const speech = await vendor.audio.speech.create({ model: "m", voice: "alloy", input, response_format: "wav" });
  wav = Buffer.from(await speech.arrayBuffer());
});
afterAll(() => area?.[Symbol.asyncDispose]());

const spent = async (): Promise<bigint> => (await area.settled("demo")).spentNanos;

describe.each(names)("%s", (name) => {
  beforeEach(() => area.simulator.forget(name));
  const speak = (more: object = {}) =>
    client.audio.speech.create({ model: `${name}-speech`, voice: "kore", input, response_format: "wav", ...more });

  test("generates speech, and is charged by its units", async () => {
    const before = await spent();
    const answer = await speak();
    const { format } = await parseBuffer(Buffer.from(await answer.arrayBuffer()), { mimeType: "audio/wav" });
    expect(format).toMatchObject({ container: "WAVE", sampleRate: 24_000 });
    expect(format.duration).toBeCloseTo(seconds, 1);
    const tokens = Math.ceil(input.length / 4) * 1_000 + Math.ceil(seconds * 25) * 8_000;
    expect((await spent()) - before).toBe(BigInt(byTokens.has(name) ? tokens : input.length * 30_000));
  });

  test("generates events on request", async () => {
    const text = await (await speak({ stream_format: "sse" })).text();
    expect(text).toMatch(/^data: \{"type":"speech\.audio\.delta","audio":"[A-Za-z0-9+/=]+"\}\n\n/);
    expect(text).toMatch(/data: \{"type":"speech\.audio\.done","usage":\{[^}]+\}\}\n\n$/);
  });

  test("a text that its vendor refuses costs nothing", async () => {
    const before = await spent();
    await expect(speak({ input: `${input} {{simulate: {"status": 400}}}` })).rejects.toMatchObject({ status: 400 });
    expect((await spent()) - before).toBe(0n);
  });

  const transcribe = (more: object = {}) =>
    toFile(wav, "a.wav", { type: "audio/wav" }).then((file) =>
      client.audio.transcriptions.create({ model: `${name}-transcription`, file, ...more }),
    );

  test("transcribes a file, and is charged by its units", async () => {
    const before = await spent();
    const { text } = await transcribe({ language: "en" });
    expect(text).toMatch(/^we heard this file/);
    const cost = (await spent()) - before;
    if (byTokens.has(name)) expect(cost).toBeGreaterThan(BigInt(Math.ceil(seconds * 32) * 2_000));
    else expect(Number(cost)).toBeCloseTo(seconds * 100_000, -2);
  });

  test("its transcript is sent as a stream on request", async () => {
    const events: string[] = [];
    for await (const { type } of await toFile(wav, "a.wav", { type: "audio/wav" }).then((file) =>
      client.audio.transcriptions.create({ model: `${name}-transcription`, file, stream: true }),
    ))
      events.push(type);
    expect(events).toEqual(["transcript.text.delta", "transcript.text.done"]);
  });

  test("subtitles are created from its timestamps, and refused without them", async () => {
    if (byTokens.has(name))
      return expect(transcribe({ response_format: "srt" })).rejects.toMatchObject({
        status: 400,
        param: "response_format",
      });
    const srt: unknown = await transcribe({ response_format: "srt" });
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nwe heard/);
    const verbose: any = await transcribe({ response_format: "verbose_json", timestamp_granularities: ["word"] });
    expect(verbose.words[0]).toMatchObject({ word: "we", start: 0 });
    expect(verbose.duration).toBeCloseTo(seconds, 1);
  });

  test("a file without audio is refused, and costs nothing", async () => {
    const before = await spent();
    const file = await toFile(Buffer.from("no audio at all"), "a.wav", { type: "audio/wav" });
    await expect(client.audio.transcriptions.create({ model: `${name}-transcription`, file })).rejects.toMatchObject({
      status: 400,
    });
    expect((await spent()) - before).toBe(0n);
  });
});

test("a voice is part of the URL at ElevenLabs, of the model at Deepgram, and a name at Google", async () => {
  await Promise.all(names.map((name) => area.simulator.forget(name)));
  for (const name of names) {
    const voice = byTokens.has(name) ? "charon" : "thalia";
    await client.audio.speech.create({ model: `${name}-speech`, voice, input: "Hi", response_format: "pcm" });
  }
  const vendorRequestText = async (name: Name) => {
    const [request] = await area.simulator.requests(name);
    return `${request?.path} ${request?.body}`;
  };
  expect(await vendorRequestText("elevenlabs")).toContain("/v1/text-to-speech/thalia/stream");
  // The simulator requires a voice in the model's name.
  expect(await vendorRequestText("deepgram")).toContain("/v1/speak");
  expect(await vendorRequestText("gemini")).toContain('"prebuiltVoiceConfig":{"voiceName":"Charon"}');
});

test("a voice of OpenAI is reported as dropped at Google, and refused in strict mode", async () => {
  await area.simulator.forget("gemini");
  const speechBody = { model: "gemini-speech", voice: "alloy", input: "Hi", response_format: "wav" } as const;
  const { response } = await client.audio.speech.create(speechBody).withResponse();
  expect([response.status, response.headers.get("x-modelgate-dropped")]).toEqual([200, "voice"]);
  const [request] = await area.simulator.requests("gemini");
  expect(request?.body).not.toContain("speechConfig");
  const strict = client.audio.speech.create(speechBody, { headers: { "x-modelgate-strict": "true" } });
  await expect(strict).rejects.toMatchObject({ status: 400, param: "voice" });
});
