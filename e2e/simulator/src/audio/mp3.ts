import { createMp3Encoder } from "wasm-media-encoders";
import { sampleRate, type Speech } from "./voice.ts";

/** Kilobits a second; constant, so that any reader knows the length from the size. */
const bitrate = 64;

/** An MP3 stream, frame by frame as it is spoken. */
export async function* mp3(speech: Speech): AsyncGenerator<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate, channels: 1, bitrate });
  for (const piece of speech.pieces()) {
    const frames = Buffer.from(encoder.encode([Float32Array.from(piece, (sample) => sample / 32_768)]));
    if (frames.length > 0) yield frames;
  }
  yield Buffer.from(encoder.finalize());
}
