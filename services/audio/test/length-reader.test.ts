import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wavHead } from "@modelgate/testkit";
import { countLength } from "../src/upload/counted-length.ts";
import { openLengthReader, type LengthReader } from "../src/upload/length-reader.ts";

let folder: string;
let reader: LengthReader;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-length-"));
  reader = openLengthReader(5_000);
});
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function wav(): Buffer {
  return Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 8 }, 16_000), Buffer.alloc(16_000, 0x80)]);
}

/** Frames of MP3 (MPEG-1 layer III, 48 kHz, mono) of 24 ms each: index of each bit rate in a frame's header. */
const mp3Rates = { 32: 1, 128: 9 } as const;
function mp3(frames: number, kilobits: keyof typeof mp3Rates): Buffer {
  const frame = Buffer.alloc(kilobits * 3);
  frame.set([0xff, 0xfb, (mp3Rates[kilobits] << 4) | 0x04, 0xc0]);
  return Buffer.concat(Array<Buffer>(frames).fill(frame));
}

/** Returns a first frame that states the number of frames and bytes. */
function firstFrame(frames: number): Buffer {
  const frame = mp3(1, 128);
  frame.write("Xing", 21);
  frame.writeUInt32BE(3, 25);
  frame.writeUInt32BE(frames, 29);
  frame.writeUInt32BE(frames * 384, 33);
  return frame;
}

/** Returns an Ogg page (RFC 3533) with packets shorter than 255 bytes, without a checksum. */
function page(packets: readonly Buffer[], position: number, isFirst = false): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS");
  head.writeUInt8(isFirst ? 2 : 0, 5);
  head.writeBigUInt64LE(BigInt(position), 6);
  head.writeUInt8(packets.length, 26);
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets]);
}

/** A second of Opus: packets of 20 ms. */
const opusSecond = Array<Buffer>(50).fill(Buffer.alloc(40, 0xf8));

/** Returns the header of Opus (RFC 7845): mono, without samples to skip. */
function opusHead(): Buffer {
  const head = Buffer.alloc(19);
  head.write("OpusHead\x01\x01");
  head.writeUInt32LE(48_000, 12);
  return head;
}

/** Returns Opus in Ogg with one page per second. */
function opus(seconds: number): Buffer {
  const tags = Buffer.alloc(16);
  tags.write("OpusTags");
  const pages = Array.from({ length: seconds }, (_, at) => page(opusSecond, (at + 1) * 48_000));
  return Buffer.concat([page([opusHead()], 0, true), page([tags], 0), ...pages]);
}

/** Returns an EBML element (RFC 8794); an open one has no size. */
function element(id: number, body: Buffer | "open" = "open"): Buffer {
  const name = Buffer.from(id.toString(16), "hex");
  if (body === "open") return Buffer.concat([name, Buffer.from("01ffffffffffffff", "hex")]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x10_00_00_00 | body.length);
  return Buffer.concat([name, size, body]);
}

/** Returns WebM as a browser records it, with Opus blocks of 20 ms and one cluster per second. */
function webm(seconds: number, startMs = 0): Buffer {
  const uint = (id: number, ...bytes: number[]): Buffer => element(id, Buffer.from(bytes));
  const text = (id: number, value: string): Buffer => element(id, Buffer.from(value));
  const track = [uint(0xd7, 1), uint(0x73_c5, 1), uint(0x83, 2), text(0x86, "A_OPUS"), element(0x63_a2, opusHead())];
  const rate = Buffer.alloc(4);
  rate.writeFloatBE(48_000);
  const audio = element(0xe1, Buffer.concat([element(0xb5, rate), uint(0x9f, 1)]));
  const clusters = Array.from({ length: seconds }, (_, second) => {
    const time = Buffer.alloc(4);
    time.writeUInt32BE(startMs + second * 1_000);
    const blocks = opusSecond.map((packet, at) =>
      element(0xa3, Buffer.concat([Buffer.from([0x81, (at * 20) >> 8, (at * 20) & 0xff, 0x80]), packet])),
    );
    return Buffer.concat([element(0x1f_43_b6_75), element(0xe7, time), ...blocks]);
  });
  return Buffer.concat([
    element(0x1a_45_df_a3, text(0x42_82, "webm")),
    element(0x18_53_80_67),
    element(0x15_49_a9_66, uint(0x2a_d7_b1, 0x0f, 0x42, 0x40)),
    element(0x16_54_ae_6b, element(0xae, Buffer.concat([...track, audio]))),
    ...clusters,
  ]);
}

/** Returns a CRC of FLAC (RFC 9639): polynomial 0x07 for 8 bits, 0x8005 for 16 bits. */
function crc(bytes: Buffer, bits: 8 | 16): number {
  const [polynomial, top, mask] = bits === 8 ? [0x07, 0x80, 0xff] : [0x80_05, 0x80_00, 0xff_ff];
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) sum = ((sum & top) === 0 ? sum << 1 : (sum << 1) ^ polynomial) & mask;
  }
  return sum;
}

/** Returns FLAC (8 kHz, mono, 8 bits, frames of 4,000 samples). The header states `stated` seconds; 0 means unknown. */
function flac(seconds: number, stated: number): Buffer {
  const head = Buffer.alloc(42);
  head.write("fLaC");
  head.set([0x80, 0, 0, 34], 4);
  head.writeUInt16BE(4_000, 8);
  head.writeUInt16BE(4_000, 10);
  // 20 bits of the rate, 3 of the channels, 5 of the bits of a sample, 36 of the samples.
  head.writeBigUInt64BE((8_000n << 44n) | (7n << 36n) | BigInt(stated * 8_000), 18);
  const frames = Array.from({ length: seconds * 2 }, (_, at) => {
    const frameHead = Buffer.from([0xff, 0xf8, 0x74, 0x02, at, 3_999 >> 8, 3_999 & 0xff]);
    // A verbatim subframe with unencoded samples.
    const body = Buffer.concat([frameHead, Buffer.from([crc(frameHead, 8), 0x02]), Buffer.alloc(4_000, 3)]);
    const check = Buffer.alloc(2);
    check.writeUInt16BE(crc(body, 16));
    return Buffer.concat([body, check]);
  });
  return Buffer.concat([head, ...frames]);
}

/** Returns AAC in ADTS (16 kHz, mono, frames of 1,024 samples). */
function adts(seconds: number): Buffer {
  const [bytes, body] = [32, Buffer.alloc(25, 0x21)];
  const head = Buffer.from([
    0xff,
    0xf1,
    0x60,
    0x40 | (bytes >> 11),
    (bytes >> 3) & 0xff,
    ((bytes & 7) << 5) | 0x1f,
    0xfc,
  ]);
  return Buffer.concat(Array<Buffer>(Math.round((seconds * 16_000) / 1_024)).fill(Buffer.concat([head, body])));
}

/** Returns an MP4 box (ISO/IEC 14496-12). */
function box(type: string, ...body: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4);
  return Buffer.concat([head, ...body]);
}

const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
};
const unity = words(0x1_00_00, 0, 0, 0, 0x1_00_00, 0, 0, 0, 0x40_00_00_00);

/** Returns fragmented MP4 with PCM of 8 kHz, one second per fragment, without a duration in its header. */
function fragmentedMp4(seconds: number): Buffer {
  const sound = Buffer.alloc(28);
  sound.writeUInt16BE(1, 6);
  sound.writeUInt16BE(1, 16);
  sound.writeUInt16BE(16, 18);
  sound.writeUInt32BE(8_000 << 16, 24);
  const table = box(
    "stbl",
    box("stsd", words(0, 1), box("sowt", sound)),
    ...["stts", "stsc", "stco"].map((type) => box(type, words(0, 0))),
    box("stsz", words(0, 0, 0)),
  );
  const media = box(
    "mdia",
    box("mdhd", words(0, 0, 0, 8_000, 0, 0x55_c4_00_00)),
    box("hdlr", words(0, 0), Buffer.from("soun"), words(0, 0, 0), Buffer.from([0])),
    box("minf", box("smhd", words(0, 0)), box("dinf", box("dref", words(0, 1), box("url ", words(1)))), table),
  );
  const track = box("trak", box("tkhd", words(7, 0, 0, 1, 0, 0, 0, 0, 0, 0x1_00_00_00), unity, words(0, 0)), media);
  const movie = box(
    "moov",
    box("mvhd", words(0, 0, 0, 8_000, 0, 0x1_00_00, 0x1_00_00_00, 0, 0), unity, words(0, 0, 0, 0, 0, 0, 2)),
    track,
    box("mvex", box("trex", words(0, 1, 1, 1, 2, 0))),
  );
  const fragments = Array.from({ length: seconds }, (_, at) => {
    const moofOf = (offset: number): Buffer =>
      box(
        "moof",
        box("mfhd", words(0, at + 1)),
        box(
          "traf",
          box("tfhd", words(0x2_00_00, 1)),
          box("tfdt", words(0, at * 8_000)),
          box("trun", words(1, 8_000, offset)),
        ),
      );
    return Buffer.concat([moofOf(moofOf(0).length + 8), box("mdat", Buffer.alloc(16_000))]);
  });
  return Buffer.concat([box("ftyp", Buffer.from("iso5"), words(0), Buffer.from("iso5")), movie, ...fragments]);
}

async function find(bytes: Buffer, path?: string) {
  const name = join(folder, "file");
  writeFileSync(name, bytes);
  await using file = await open(name);
  const job = { descriptor: file.fd, size: bytes.length };
  const owner = { account: "a", signal: new AbortController().signal };
  return await reader.find(path === undefined ? job : { ...job, path }, owner);
}

test("the length of a file is read", async () => {
  expect(await find(wav())).toEqual({ duration: 2 });
});

test.each([
  ["MP3 that begins at another rate than it goes on", Buffer.concat([mp3(250, 32), mp3(250, 128)]), 12],
  ["MP3 whose first frame states less than there is", Buffer.concat([firstFrame(5), mp3(500, 128)]), 12],
  [
    "MP3 of two files, one after the other",
    Buffer.concat([firstFrame(250), mp3(250, 128), firstFrame(250), mp3(250, 128)]),
    12,
  ],
  ["Opus in Ogg", opus(12), 12],
  ["FLAC whose head states nothing", flac(12, 0), 12],
  ["FLAC whose head states a second", flac(12, 1), 12],
  ["ADTS", adts(12), 12],
  ["MP4 in fragments, whose head states nothing", fragmentedMp4(12), 12],
  ["WebM as a browser records it", webm(12), 12],
  ["a part of a WebM recording", webm(12, 3_600_000), 12],
])("%s is counted", async (_, bytes, seconds) => {
  expect((await find(bytes)).duration).toBeCloseTo(seconds, 1);
});

test("a file that claims to be one large table is not read into memory", async () => {
  const name = join(folder, "table");
  const size = 64 * 1_048_576;
  const boxes = Buffer.from("\0\0\0\x10ftypisom\0\0\0\0\0\0\0\0moov", "latin1");
  boxes.writeUInt32BE(size - 16, 16);
  writeFileSync(name, boxes);
  truncateSync(name, size);
  await using file = await open(name);
  await expect(countLength(file.fd, size)).rejects.toThrow(/bytes at once/);
});

test("the length of a format that is not counted is read from its header", async () => {
  const adpcm = wav();
  adpcm.writeUInt16LE(17, 20);
  adpcm.writeUInt16LE(4, 34);
  expect((await find(adpcm)).duration).toBeCloseTo(2, 1);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["text", Buffer.from("no sound at all")],
  ["a header without a body", wav().subarray(0, 20)],
])("%s has no known length", async (_, bytes) => {
  expect((await find(bytes)).duration).toBeUndefined();
});

test("a file that is crafted to be slow is aborted, delays no other, and the next one is read", async () => {
  let iterations = 0;
  const turning = setInterval(() => iterations++, 1);
  expect(await find(Buffer.alloc(16 * 1_048_576, 0xff), "slow.mp3")).toEqual({});
  clearInterval(turning);
  expect(iterations).toBeGreaterThan(10);
  expect(await find(wav())).toEqual({ duration: 2 });
});
