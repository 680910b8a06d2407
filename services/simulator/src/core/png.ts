import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const side = 8;
const [bitsPerSample, redGreenBlue] = [8, 2];

/** A small square picture whose colour follows from the words. */
export function pngOf(words: string): Buffer {
  const colour = createHash("sha256").update(words).digest().subarray(0, 3);
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: side }, () => colour)]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.writeUInt8(bitsPerSample, 8);
  head.writeUInt8(redGreenBlue, 9);
  const rows = Buffer.concat(Array.from({ length: side }, () => row));
  return Buffer.concat([
    signature,
    block("IHDR", head),
    block("IDAT", deflateSync(rows)),
    block("IEND", Buffer.alloc(0)),
  ]);
}

function block(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
