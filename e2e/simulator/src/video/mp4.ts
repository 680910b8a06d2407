import { createHash } from "node:crypto";
import { firstPicture, nextPicture, parameterSets, type PlainPicture } from "./h264.ts";

/** Properties of a video file. */
export interface VideoProperties {
  /** Determines the colour. */
  readonly words: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  /** Minimum size of the file, in bytes. The file is filled with a box that players ignore. */
  readonly minBytes?: number | undefined;
}

const framesPerSecond = 4;
/**
 * Requested pixels, in each direction, that become one macroblock of the file (16 by 16 pixels). The file's picture is
 * therefore 16 times smaller than requested.
 */
const pixelDivisor = 256;
const ticksPerSecond = 1_000;

/** Creates a small MP4 in one colour that players accept (H.264). */
export function mp4Of(video: VideoProperties): Buffer {
  const hash = createHash("sha256").update(video.words).digest();
  const sample = (at: number): number => 32 + ((hash[at] ?? 0) % 192);
  const plain: PlainPicture = {
    columns: Math.max(1, Math.ceil(video.width / pixelDivisor)),
    rows: Math.max(1, Math.ceil(video.height / pixelDivisor)),
    colour: [sample(0), sample(1), sample(2)],
  };
  const pictures = Array.from({ length: Math.max(1, Math.round(video.seconds * framesPerSecond)) }, (_, at) =>
    withLength(at === 0 ? firstPicture(plain) : nextPicture(plain, at)),
  );
  const data = box("mdat", ...pictures);
  const type = box("ftyp", "isom", u32(512), "isomiso2avc1mp41");
  // The length of the index does not depend on `dataAt`, so 0 is used.
  const length = type.length + indexOf(plain, pictures, 0).length + 8;
  const file = Buffer.concat([type, indexOf(plain, pictures, length), data]);
  const missing = (video.minBytes ?? 0) - file.length;
  return missing <= 0 ? file : Buffer.concat([file, box("free", Buffer.alloc(Math.max(0, missing - 8)))]);
}

function indexOf(plain: PlainPicture, pictures: readonly Buffer[], dataAt: number): Buffer {
  const [width, height] = [plain.columns * 16, plain.rows * 16];
  const frame = ticksPerSecond / framesPerSecond;
  const duration = pictures.length * frame;
  const header = fullBox(
    "mvhd",
    0,
    u32(0, 0, ticksPerSecond, duration, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    matrix,
    zeros(24),
    u32(2),
  );
  const track = fullBox(
    "tkhd",
    3,
    u32(0, 0, 1, 0, duration, 0, 0),
    u16(0, 0, 0, 0),
    matrix,
    u32(width << 16, height << 16),
  );
  const media = fullBox("mdhd", 0, u32(0, 0, ticksPerSecond, duration), u16(0x55c4, 0));
  const handler = fullBox("hdlr", 0, u32(0), "vide", zeros(12), "video\0");
  const place = box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1)));
  const table = box(
    "stbl",
    fullBox("stsd", 0, u32(1), sampleEntry(plain, width, height)),
    fullBox("stts", 0, u32(1, pictures.length, frame)),
    fullBox("stss", 0, u32(1, 1)),
    fullBox("stsc", 0, u32(1, 1, pictures.length, 1)),
    fullBox("stsz", 0, u32(0, pictures.length, ...pictures.map(({ length }) => length))),
    fullBox("stco", 0, u32(1, dataAt)),
  );
  const information = box("minf", fullBox("vmhd", 1, zeros(8)), place, table);
  return box("moov", header, box("trak", track, box("mdia", media, handler, information)));
}

function sampleEntry(plain: PlainPicture, width: number, height: number): Buffer {
  const { sequence, picture } = parameterSets(plain);
  const sets = box(
    "avcC",
    Buffer.from([1, ...sequence.subarray(1, 4), 0xff, 0xe1]),
    u16(sequence.length),
    sequence,
    Buffer.from([1]),
    u16(picture.length),
    picture,
  );
  const [inch, colourTable] = [0x480000, 0xffff];
  return box(
    "avc1",
    zeros(6),
    u16(1),
    zeros(16),
    u16(width, height),
    u32(inch, inch, 0),
    u16(1),
    zeros(32),
    u16(24, colourTable),
    sets,
  );
}

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

function withLength(unit: Buffer): Buffer {
  return Buffer.concat([u32(unit.length), unit]);
}

function box(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat([
    Buffer.from(type, "latin1"),
    ...parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)),
  ]);
  return Buffer.concat([u32(body.length + 4), body]);
}

/** Returns a box with version 0 and flags. */
function fullBox(type: string, flags: number, ...parts: readonly (Buffer | string)[]): Buffer {
  return box(type, u32(flags), ...parts);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeUInt32BE(value >>> 0, at * 4));
  return bytes;
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => bytes.writeUInt16BE(value, at * 2));
  return bytes;
}

function zeros(count: number): Buffer {
  return Buffer.alloc(count);
}
