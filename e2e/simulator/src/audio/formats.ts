import { createMp3Encoder } from "wasm-media-encoders";
import { flac } from "./flac.ts";
import { opus } from "./opus.ts";
import { sampleRate, type Speech } from "./voice.ts";

interface AudioFormat {
  readonly contentType: string;
  readonly encode: (speech: Speech) => Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Yields speech as AAC. The encoder is large and seldom used, so it is imported on demand. */
async function* aac(speech: Speech): AsyncGenerator<Buffer> {
  const encoder = await import("./aac.ts");
  yield* encoder.aac(speech);
}

export const audioFormats = {
  mp3: { contentType: "audio/mpeg", encode: mp3 },
  opus: { contentType: "audio/ogg", encode: opus },
  aac: { contentType: "audio/aac", encode: aac },
  flac: { contentType: "audio/flac", encode: flac },
  wav: { contentType: "audio/wav", encode: wav },
  pcm: { contentType: "audio/pcm", encode: pcm },
} as const satisfies Record<string, AudioFormat>;

/** Returns a format by its name; undefined for an unknown name. */
export function audioFormatOf(name: string): AudioFormat | undefined {
  return Object.entries<AudioFormat>(audioFormats).find(([known]) => known === name)?.[1];
}

/** Kilobits per second. A constant bit rate lets readers compute the length from the size. */
const mp3Bitrate = 64;

async function* mp3(speech: Speech): AsyncGenerator<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate, channels: 1, bitrate: mp3Bitrate });
  for (const piece of speech.pieces()) {
    const frames = Buffer.from(encoder.encode([Float32Array.from(piece, (sample) => sample / 32_768)]));
    if (frames.length > 0) yield frames;
  }
  yield Buffer.from(encoder.finalize());
}

/** Yields samples of 16 bits, little endian, without a header. */
export function* pcm(speech: Speech): Generator<Buffer> {
  for (const piece of speech.pieces()) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

/** Yields a WAV file. The header has the length, because it is known in advance. */
function* wav(speech: Speech): Generator<Buffer> {
  const dataBytes = speech.samples * 2;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + dataBytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(dataBytes, 40);
  yield head;
  yield* pcm(speech);
}
