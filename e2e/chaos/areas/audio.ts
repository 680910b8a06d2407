import { wavHead } from "@modelgate/testkit";
import { ended, failed, modelOf, type Area, type Vendor } from "../area.ts";
import { exchange, readGot } from "../exchange.ts";

const speech: Vendor = {
  name: "speech",
  kind: "speech",
  price: { character: 0.000015 },
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "tts-1",
};
const transcription: Vendor = {
  name: "transcription",
  kind: "transcription",
  price: { input: 2.5, inputAudio: 6, output: 10 },
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "gpt-4o-transcribe",
};

/** A second of silence: PCM of 16 bits at 16 kHz. */
function wav(): Buffer {
  const samples = Buffer.alloc(32_000);
  const head = wavHead({ sampleRate: 16_000, channels: 1, bits: 16 }, samples.length);
  return Buffer.concat([head, samples]);
}

const boundary = "a-boundary-that-no-file-has";
const recording = wav();

function form(model: string): { readonly type: string; readonly bytes: Buffer } {
  const field = (name: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([
      Buffer.from(field("model", model) + field("stream", "true") + file),
      recording,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

/** Speech as bytes that come one after the other, and files that are uploaded and transcribed as a stream. */
export const audio: Area = {
  name: "audio",
  vendors: [speech, transcription],
  misbehaves: {
    stalls: { stallAfterChunks: 1, delayMs: 30 },
    cuts: { cutAfterChunks: 1 },
  },
  hasLengths: true,
  async ask(asking) {
    const input = 'Hello there, all of you. {{simulate: {"delayMs": 30, "chunks": 8, "chunkDelayMs": 20}}}';
    const spoken = asking.turn % 2 === 0;
    const got = spoken
      ? exchange(asking, {
          path: "/v1/audio/speech",
          body: { model: modelOf(speech, asking.ways), voice: "alloy", input },
        })
      : exchange(asking, { path: "/v1/audio/transcriptions", body: form(modelOf(transcription, asking.ways)) });
    const end = readGot(await got, (answer) =>
      spoken ? answer.length > 0 : answer.includes("transcript.text.done") && !answer.includes('"error"'),
    );
    return typeof end === "string" ? ended(end) : failed(end.failure);
  },
};
