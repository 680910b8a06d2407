import { sampleRate, type Speech } from "./voice.ts";

/** Raw samples: 16 bit, little endian, mono, without a head. */
export function* pcm(speech: Speech): Generator<Buffer> {
  for (const piece of speech.pieces()) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

/** A RIFF file: its head states the length, which is known before a sample is spoken. */
export function* wav(speech: Speech): Generator<Buffer> {
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
