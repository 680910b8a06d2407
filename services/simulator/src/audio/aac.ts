import { sampleRate, type Speech } from "./voice.ts";

const frameSamples = 1_024;
/** AAC-LC, 24 kHz, mono. */
const [profile, rateIndex, channels] = [1, 6, 1];
/** A raw data block of one silent channel. */
const silence = Buffer.from([0x00, 0xc8, 0x00, 0x80, 0x23, 0x80]);

/**
 * An ADTS stream of the right length that is silent: there is no encoder of AAC for JavaScript whose licence would do,
 * and what is tested is its way, not its sound.
 */
export function* aac(speech: Speech): Generator<Buffer> {
  const frames = Math.ceil(speech.samples / frameSamples);
  const [frame, perPiece] = [adtsFrame(), Math.ceil(sampleRate / frameSamples)];
  for (let left = frames; left > 0; left -= perPiece)
    yield Buffer.concat(Array<Buffer>(Math.min(left, perPiece)).fill(frame));
}

function adtsFrame(): Buffer {
  const length = 7 + silence.length;
  const head = Buffer.from([
    0xff,
    0xf1,
    (profile << 6) | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ]);
  return Buffer.concat([head, silence]);
}
