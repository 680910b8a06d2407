import { parseBuffer } from "music-metadata";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSimulator, type Started } from "./started.ts";

let simulator: Started;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: "any", maxRetries: 0 });
});
afterAll(() => simulator[Symbol.asyncDispose]());

const input = "Good morning, all of you who listen.";
const requestBody = { model: "m", voice: "alloy", input } as const;
/** Length of the simulated speech: 60 ms per character. */
const seconds = input.length * 0.06;

describe("speech", () => {
  test.each([
    ["mp3", "audio/mpeg", 0.1],
    ["opus", "audio/ogg", 0.001],
    // AAC frames last 43 ms. The encoder adds some at both ends.
    ["aac", "audio/aac", 0.13],
    ["flac", "audio/flac", 0.001],
    ["wav", "audio/wav", 0.001],
  ] as const)("%s has its format, and a length that fits its text", async (format, mimeType, tolerance) => {
    const answer = await client.audio.speech.create({ ...requestBody, response_format: format });
    expect(answer.headers.get("content-type")).toBe(mimeType);
    const { format: found } = await parseBuffer(
      Buffer.from(await answer.arrayBuffer()),
      { mimeType },
      { duration: true },
    );
    expect(found.sampleRate).toBeGreaterThanOrEqual(24_000);
    expect(Math.abs((found.duration ?? 0) - seconds)).toBeLessThanOrEqual(tolerance);
  });

  test("pcm has two bytes a sample, and no header", async () => {
    const answer = await client.audio.speech.create({ ...requestBody, response_format: "pcm", speed: 2 });
    expect((await answer.arrayBuffer()).byteLength).toBe(Math.round(24_000 * (0.06 / 2)) * input.length * 2);
  });

  test.each(["pcm", "aac"] as const)("%s of another text differs", async (format) => {
    const bytesOf = async (text: string) =>
      Buffer.from(
        await (
          await client.audio.speech.create({ ...requestBody, input: text, response_format: format })
        ).arrayBuffer(),
      );
    const [one, same, other] = [await bytesOf("one two"), await bytesOf("one two"), await bytesOf("two one")];
    expect(one.equals(same)).toBe(true);
    expect(one.equals(other)).toBe(false);
    expect(one.some((byte) => byte > 100)).toBe(true);
  });

  test("events contain the same audio and its usage", async () => {
    const frames = await simulator.stream("/openai/v1/audio/speech", {
      ...requestBody,
      stream_format: "sse",
      response_format: "wav",
    });
    const pieces = frames.slice(0, -1).map(({ data }) => Buffer.from(data.audio, "base64"));
    const whole = await client.audio.speech.create({ ...requestBody, response_format: "wav" });
    expect(Buffer.concat(pieces).equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
    expect(frames.at(-1)?.data).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: 9, output_tokens: Math.ceil(seconds * 20), total_tokens: 9 + Math.ceil(seconds * 20) },
    });
  });

  test.each([
    ["input", { input: "" }],
    ["input", { input: "x".repeat(4_097) }],
    ["response_format", { response_format: "ogg" }],
    ["speed", { speed: 5 }],
    ["stream_format", { model: "tts-1", stream_format: "sse" }],
    ["tempo", { tempo: 1 }],
  ])("a wrong %s is refused by name", async (param, wrong) => {
    const { status, body } = await simulator.post("/openai/v1/audio/speech", { ...requestBody, ...wrong });
    expect({ status, param: body.error.param }).toEqual({ status: 400, param });
  });
});

describe("transcripts", () => {
  test("have the length of a file whose header does not state one", async () => {
    const speech = await client.audio.speech.create({ ...requestBody, response_format: "flac" });
    const bytes = Buffer.from(await speech.arrayBuffer());
    // Clears the number of samples, as in a file of a streaming recorder.
    bytes.writeUInt8(bytes.readUInt8(21) & 0xf0, 21);
    bytes.fill(0, 22, 26);
    const file = await toFile(bytes, "speech.flac");
    const written = await client.audio.transcriptions.create({
      model: "whisper-1",
      file,
      response_format: "verbose_json",
    });
    expect(written.duration).toBeCloseTo(seconds, 3);
  });

  const audio = async (format: "mp3" | "wav" = "mp3") => {
    const answer = await client.audio.speech.create({ ...requestBody, response_format: format });
    return toFile(Buffer.from(await answer.arrayBuffer()), `speech.${format}`);
  };

  test("have the length, the beginning and the end of the file", async () => {
    const transcript = await client.audio.transcriptions.create({
      model: "whisper-1",
      file: await audio("wav"),
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect(transcript.duration).toBeCloseTo(seconds, 3);
    expect(transcript.segments?.at(-1)?.end).toBeCloseTo(seconds, 2);
    expect(transcript.words?.map(({ word }) => word).join(" ")).toBe(transcript.text);
    expect(transcript).toMatchObject({ usage: { type: "duration", seconds: Math.ceil(seconds) } });
  });

  test.each([
    ["text", /^we heard this file\n$/],
    ["srt", /^1\n00:00:00,000 --> 00:00:02,160\nwe heard this file\n\n$/],
    ["vtt", /^WEBVTT\n\n00:00:00.000 --> 00:00:02.160\nwe heard this file\n\n$/],
  ] as const)("%s", async (format, expected) => {
    const file = await audio("wav");
    expect(await client.audio.transcriptions.create({ model: "whisper-1", file, response_format: format })).toMatch(
      expected,
    );
  });

  test("models of text return only JSON with tokens, or a stream", async () => {
    const model = "gpt-4o-transcribe";
    const file = await audio();
    await expect(client.audio.transcriptions.create({ model, file, response_format: "srt" })).rejects.toMatchObject({
      status: 400,
      param: "response_format",
    });
    const events = [];
    for await (const event of await client.audio.transcriptions.create({ model, file, stream: true }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", usage: { type: "tokens" } });
  });

  test.each<[string, () => Promise<object>]>([
    ["file", async () => ({ file: await toFile(Buffer.from("no audio"), "a.mp3") })],
    ["file", async () => ({ file: await toFile(Buffer.from("no audio"), "a.txt") })],
    ["temperature", async () => ({ file: await audio(), temperature: 2 })],
    ["timestamp_granularities", async () => ({ file: await audio(), timestamp_granularities: ["word"] })],
  ])("a wrong %s is refused by name", async (param, wrong) => {
    const request = { model: "whisper-1", ...(await wrong()) };
    // The SDK's types do not allow this request.
    await expect(client.audio.transcriptions.create(request as never)).rejects.toMatchObject({ status: 400, param });
  });
});
