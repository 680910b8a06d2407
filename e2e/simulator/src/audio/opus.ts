import { createRequire } from "node:module";
import type Opus from "opusscript";
import { inBlocks, sampleRate, type Speech } from "./voice.ts";

/** Package outside the bundle, because it reads a file of its folder. */
const OpusScript: typeof Opus = createRequire(import.meta.url)("opusscript");
const packetSamples = sampleRate / 50;
/** Ogg counts positions of Opus at this rate, for any sample rate of the speech. */
const positionRate = 48_000;
/**
 * Number of the encoder's request that sets the complexity, and the complexity. Half of the maximum (10) is four times
 * as fast, with little loss of quality.
 */
const complexity = { control: 4_010, level: 5 } as const;
const serial = 0x6d67_6174;

/** Yields speech as Opus in Ogg (RFC 7845), with one page per half second. */
export function* opus(speech: Speech): Generator<Buffer> {
  const encoder = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP);
  try {
    encoder.encoderCTL(complexity.control, complexity.level);
    yield page([head()], { sequence: 0, position: 0n, flags: 2 });
    yield page([tags()], { sequence: 1, position: 0n, flags: 0 });
    const end = BigInt(Math.round((speech.samples / sampleRate) * positionRate));
    let [sequence, position] = [2, 0n];
    let packets: Buffer[] = [];
    for (const samples of inBlocks(speech.pieces(), packetSamples)) {
      packets.push(Buffer.from(encoder.encode(wholePacket(samples), packetSamples)));
      position += BigInt((packetSamples * positionRate) / sampleRate);
      if (packets.length < 25 || position >= end) continue;
      yield page(packets, { sequence: sequence++, position, flags: 0 });
      packets = [];
    }
    // The last position shows where the speech ends within its packet.
    yield page(packets, { sequence, position: end, flags: 4 });
  } finally {
    encoder.delete();
  }
}

/** Returns the samples of a packet. A short block is padded with silence. */
function wholePacket(block: Int16Array): Buffer {
  const packet = new Int16Array(packetSamples);
  packet.set(block);
  return Buffer.from(packet.buffer);
}

function head(): Buffer {
  const bytes = Buffer.alloc(19);
  bytes.write("OpusHead", 0);
  bytes.writeUInt8(1, 8);
  bytes.writeUInt8(1, 9);
  bytes.writeUInt32LE(sampleRate, 12);
  return bytes;
}

function tags(): Buffer {
  const vendor = Buffer.from("simulator");
  const bytes = Buffer.alloc(8 + 4 + vendor.length + 4);
  bytes.write("OpusTags", 0);
  bytes.writeUInt32LE(vendor.length, 8);
  vendor.copy(bytes, 12);
  return bytes;
}

/** Returns an Ogg page (RFC 3533). */
function page(
  packets: readonly Buffer[],
  { sequence, position, flags }: { readonly sequence: number; readonly position: bigint; readonly flags: number },
): Buffer {
  const lacing = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const header = Buffer.alloc(27 + lacing.length);
  header.write("OggS", 0);
  header.writeUInt8(flags, 5);
  header.writeBigUInt64LE(position, 6);
  header.writeUInt32LE(serial, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(lacing.length, 26);
  header.set(lacing, 27);
  const bytes = Buffer.concat([header, ...packets]);
  bytes.writeUInt32LE(checksum(bytes), 22);
  return bytes;
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) ^ (table[((sum >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  return sum;
}

const table = Array.from({ length: 256 }, (_, index) => {
  let entry = index << 24;
  for (let bit = 0; bit < 8; bit++) entry = entry & 0x8000_0000 ? (entry << 1) ^ 0x04c1_1db7 : entry << 1;
  return entry >>> 0;
});
