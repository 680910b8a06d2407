import { createHash } from "node:crypto";
import { deflateSync, crc32 } from "node:zlib";

/** Returns the format of an image, and the size in its header. */
export function pictureIn(bytes: Buffer): { readonly type: string; readonly width: number; readonly height: number } {
  if (bytes.toString("latin1", 1, 4) === "PNG")
    return { type: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString("latin1", 8, 16) === "WEBPVP8L") {
    const sides = bytes.readUInt32LE(21);
    return { type: "webp", width: (sides & 0x3fff) + 1, height: ((sides >> 14) & 0x3fff) + 1 };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return { type: "jpeg", ...sidesOfJpeg(bytes) };
  throw new Error(`no picture: ${bytes.toString("latin1", 0, 16)}`);
}

function sidesOfJpeg(bytes: Buffer): { readonly width: number; readonly height: number } {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xc2)
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  throw new Error("a JPEG without a frame");
}

/** Returns a PNG file of one pixel with about `bytes` bytes. */
export function samplePng(bytes = 0): Buffer {
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", head),
    pngChunk("tEXt", Buffer.concat([Buffer.from("k\0"), Buffer.alloc(bytes, "x")])),
    pngChunk("IDAT", deflateSync(Buffer.from([0, 255, 0, 0]))),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const typedData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(typedData));
  return Buffer.concat([length, typedData, check]);
}

export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
