import { wavHead } from "@modelgate/testkit";
import { modelOf, sendOne, type Area, type Vendor } from "../area.ts";

const openai = { provider: "openai", path: "openai/v1" } as const;

const chat: Vendor = {
  ...openai,
  name: "chat",
  kind: "chat",
  price: { request: 0.001, input: 1, cachedInput: 1, output: 2 },
  upstreamModel: "chat",
};

/** Chat completions, alternately complete and streamed. */
export const text: Area = {
  name: "text",
  vendors: [chat],
  faultBehaviours: {
    stalls: { chunks: 10, stallAfterChunks: 3, delayMs: 30 },
    cuts: { chunks: 10, cutAfterChunks: 3 },
  },
  call(call) {
    const stream = call.turn % 2 === 0;
    const content = 'Hello {{simulate: {"chunks": 12, "chunkDelayMs": 20, "delayMs": 30}}}';
    const messages = [{ role: "user", content }];
    const body = { model: modelOf(chat, call.channelCount), stream, max_tokens: 100, messages };
    return sendOne(call, { path: "/v1/chat/completions", body }, (answer) =>
      stream ? !answer.includes('"error"') && answer.trimEnd().endsWith("[DONE]") : answer.includes('"choices"'),
    );
  },
};

const price = { image: 0.04 };
const image: Vendor = { ...openai, name: "image", kind: "image", price, upstreamModel: "seedream" };
const imageTask: Vendor = {
  name: "image-task",
  kind: "image",
  price,
  provider: "qwen",
  path: "dashscope/api/v1",
  upstreamModel: "wan2.5-t2i",
};

/** Images: complete, streamed, and from a vendor that creates them as tasks. */
export const media: Area = {
  name: "media",
  vendors: [image, imageTask],
  faultBehaviours: { stalls: { stallAfterChunks: 1, delayMs: 30 }, cuts: { cutAfterChunks: 1 } },
  call(call) {
    const stream = call.turn % 3 === 1;
    const vendor = call.turn % 3 === 2 ? imageTask : image;
    const prompt = 'a fox {{simulate: {"delayMs": 60, "chunkDelayMs": 40}}}';
    // Small, because the simulator renders images even for disconnected clients.
    const size = vendor === image ? { size: "64x64" } : {};
    const partial = stream ? { stream, partial_images: 1 } : {};
    const body = { model: modelOf(vendor, call.channelCount), prompt, ...size, ...partial };
    return sendOne(call, { path: "/v1/images/generations", body }, (answer) =>
      stream ? isFinished(answer) : answer.includes('"data"'),
    );
  },
};

function isFinished(answer: string): boolean {
  const last = answer.trimEnd().split("\n").at(-1) ?? "";
  return last.includes('"type":"image_generation.completed"') && last.endsWith("}") && answer.endsWith("\n\n");
}

const speech: Vendor = {
  ...openai,
  name: "speech",
  kind: "speech",
  price: { character: 0.000015 },
  upstreamModel: "tts-1",
};
const transcription: Vendor = {
  ...openai,
  name: "transcription",
  kind: "transcription",
  price: { input: 2.5, inputAudio: 6, output: 10 },
  upstreamModel: "gpt-4o-transcribe",
};

const boundary = "a-boundary-that-no-file-has";
const disposition = `--${boundary}\r\ncontent-disposition: form-data; name=`;
/** A second of silence. */
const samples = Buffer.alloc(32_000);
const recording = Buffer.concat([wavHead({ sampleRate: 16_000, channels: 1, bits: 16 }, samples.length), samples]);

function transcriptionForm(model: string): Buffer {
  const fields = Object.entries({ model, stream: "true" }).map(
    ([name, value]) => `${disposition}"${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.concat([
    Buffer.from(`${fields.join("")}${disposition}"file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`),
    recording,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/** Streamed speech, and transcripts of uploaded files. */
export const audio: Area = {
  name: "audio",
  vendors: [speech, transcription],
  faultBehaviours: { stalls: { stallAfterChunks: 1, delayMs: 30 }, cuts: { cutAfterChunks: 1 } },
  call(call) {
    if (call.turn % 2 === 0) {
      const input = 'Hello there, all of you. {{simulate: {"delayMs": 30, "chunks": 8, "chunkDelayMs": 20}}}';
      const body = { model: modelOf(speech, call.channelCount), voice: "alloy", input };
      return sendOne(call, { path: "/v1/audio/speech", body }, (answer) => answer.length > 0);
    }
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
    const body = transcriptionForm(modelOf(transcription, call.channelCount));
    return sendOne(
      call,
      { path: "/v1/audio/transcriptions", headers, body },
      (answer) => answer.includes("transcript.text.done") && !answer.includes('"error"'),
    );
  },
};
