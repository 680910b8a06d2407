import { inBlocks, sampleRate, type Speech } from "./voice.ts";

const blockSamples = 4_096;

/** Yields speech as FLAC, uncompressed (verbatim subframes). */
export function* flac(speech: Speech): Generator<Buffer> {
  yield head(speech.samples);
  let number = 0;
  for (const block of inBlocks(speech.pieces(), blockSamples)) yield frame(number++, block);
}

/** Returns the head of a file. It contains only the metadata block STREAMINFO. */
function head(samples: number): Buffer {
  const bytes = Buffer.alloc(8 + 34);
  bytes.write("fLaC", 0);
  bytes.writeUInt8(0x80, 4);
  bytes.writeUIntBE(34, 5, 3);
  bytes.writeUInt16BE(blockSamples, 8);
  bytes.writeUInt16BE(blockSamples, 10);
  // 20 bits rate, 3 bits channels - 1, 5 bits depth - 1, 36 bits samples.
  bytes.writeBigUInt64BE((BigInt(sampleRate) << 44n) | (15n << 36n) | BigInt(samples), 18);
  return bytes;
}

function frame(number: number, block: Int16Array): Buffer {
  // Sync code, fixed block size. Rate and depth are in STREAMINFO; mono.
  const start = Buffer.from([0xff, 0xf8, 0x70, 0x00, ...utf8(number), 0, 0]);
  start.writeUInt16BE(block.length - 1, start.length - 2);
  const body = Buffer.alloc(1 + block.length * 2);
  body.writeUInt8(0b0000_0010, 0);
  for (const [at, sample] of block.entries()) body.writeInt16BE(sample, 1 + at * 2);
  const bytes = Buffer.concat([start, Buffer.from([crc(start, 8, 0x07)]), body]);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(crc(bytes, 16, 0x8005));
  return Buffer.concat([bytes, end]);
}

/** Encodes a frame number as UTF-8 encodes a character. */
function utf8(number: number): Buffer {
  return Buffer.from(String.fromCodePoint(number));
}

function crc(bytes: Buffer, width: 8 | 16, polynomial: number): number {
  const [top, mask] = [1 << (width - 1), (1 << width) - 1];
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) sum = (sum & top ? (sum << 1) ^ polynomial : sum << 1) & mask;
  }
  return sum;
}
