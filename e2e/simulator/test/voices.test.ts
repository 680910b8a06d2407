import { DeepgramClient } from "@deepgram/sdk";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { GoogleGenAI } from "@google/genai";
import { parseBuffer } from "music-metadata";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSimulator, type Started } from "./started.ts";

let started: Started;
let elevenlabs: ElevenLabsClient;
let deepgram: DeepgramClient;
let google: GoogleGenAI;
beforeAll(async () => {
  started = await startSimulator();
  elevenlabs = new ElevenLabsClient({ apiKey: "key", baseUrl: `${started.url}/elevenlabs` });
  deepgram = new DeepgramClient({ apiKey: "key", baseUrl: `${started.url}/deepgram` });
  google = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: `${started.url}/gemini` } });
});
afterAll(() => started[Symbol.asyncDispose]());

const text = "This is what is said, and heard again.";
/** Length of the simulated speech: 60 ms per character. */
const seconds = text.length * 0.06;

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
const speechRequest = { text, modelId: "eleven_v3" };
const voice = "JBFqnCBsd6RMkjVDRZzb";
const speakWav = async (): Promise<Buffer> =>
  bytesOf(await elevenlabs.textToSpeech.convert(voice, { ...speechRequest, outputFormat: "wav_24000" }));

test("ElevenLabs generates speech, and transcribes it", async () => {
  const mp3 = await bytesOf(
    await elevenlabs.textToSpeech.stream(voice, { ...speechRequest, outputFormat: "mp3_44100_128" }),
  );
  expect((await parseBuffer(mp3)).format.codec).toMatch(/MPEG/);
  const file = new Blob([new Uint8Array(await speakWav())], { type: "audio/wav" });
  const transcript = await elevenlabs.speechToText.convert({
    modelId: "scribe_v2",
    file,
    timestampsGranularity: "word",
  });
  if (!("words" in transcript)) throw new Error("no transcript");
  expect(transcript.words.at(-1)?.end).toBeCloseTo(seconds, 1);
  expect(
    transcript.words
      .filter(({ type }) => type === "word")
      .map((word) => word.text)
      .join(" "),
  ).toBe(transcript.text);
});

test("Deepgram generates speech, and transcribes it", async () => {
  const aura = { text, model: "aura-2-thalia-en", encoding: "linear16", container: "wav" } as const;
  const answer = await deepgram.speak.v1.audio.generate(aura);
  const wav = Buffer.from(await answer.arrayBuffer());
  expect((await parseBuffer(wav)).format.container).toBe("WAVE");
  const transcript = await deepgram.listen.v1.media.transcribeFile(wav, { model: "nova-3", smart_format: true });
  if (!("results" in transcript)) throw new Error("no transcript");
  expect(transcript.metadata?.duration).toBeCloseTo(seconds, 1);
  const [channel] = transcript.results?.channels ?? [];
  expect(channel?.alternatives?.[0]?.words?.at(-1)?.end).toBeCloseTo(seconds, 1);
});

test("Gemini generates audio samples, and transcribes audio", async () => {
  const config = {
    responseModalities: ["AUDIO"],
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
  };
  const speech = await google.models.generateContent({ model: "gemini-2.5-flash-preview-tts", contents: text, config });
  expect(Buffer.from(speech.data ?? "", "base64").length / 48_000).toBeCloseTo(seconds, 1);
  const data = (await speakWav()).toString("base64");
  const transcript = await google.models.generateContent({
    model: "gemini-3-flash",
    contents: [{ inlineData: { mimeType: "audio/wav", data } }, "Transcribe this."],
  });
  expect(transcript.text).toMatch(/^we heard this/);
  expect(transcript.usageMetadata?.promptTokensDetails).toContainEqual({
    modality: "AUDIO",
    tokenCount: Math.ceil(seconds * 32),
  });
});

test("a wrong key is refused with the vendor's message", async () => {
  const bad = new ElevenLabsClient({ apiKey: "bad-key", baseUrl: `${started.url}/elevenlabs`, maxRetries: 0 });
  await expect(bad.textToSpeech.stream("v", { text })).rejects.toMatchObject({ statusCode: 401 });
});
