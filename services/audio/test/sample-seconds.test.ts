import { describe, expect, test } from "vitest";
import { wavHead } from "@modelgate/testkit";
import { secondsBySamples } from "../src/upload/samples/seconds.ts";

const form = { sampleRate: 8_000, channels: 1, bits: 16 } as const;
const samples = Buffer.alloc(12 * 16_000, 1);
const unknown = 0xff_ff_ff_ff;

function little(...values: readonly [bytes: 2 | 4 | 8, value: number][]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      if (bytes === 8) field.writeBigUInt64LE(BigInt(value));
      else field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
function big(bytes: 2 | 4 | 8, value: number): Buffer {
  const field = Buffer.alloc(bytes);
  if (bytes === 8) field.writeBigUInt64BE(BigInt(value));
  else field.writeUIntBE(value, 0, bytes);
  return field;
}

function chunk(id: string, body: Buffer, size = body.length): Buffer {
  return Buffer.concat([Buffer.from(id), little([4, size]), body, Buffer.alloc(body.length % 2)]);
}
function wave(chunks: readonly Buffer[], id = "RIFF"): Buffer {
  return Buffer.concat([Buffer.from(id), little([4, unknown]), Buffer.from("WAVE"), ...chunks]);
}
interface Format {
  readonly tag: number;
  readonly block: number;
  readonly bits: number;
  readonly more?: Buffer;
}
function fmt({ tag, block, bits, more = Buffer.alloc(0) }: Format): Buffer {
  const rate = 8_000;
  return chunk(
    "fmt ",
    Buffer.concat([little([2, tag], [2, 1], [4, rate], [4, rate * block], [2, block], [2, bits]), more]),
  );
}
const pcm = fmt({ tag: 1, block: 2, bits: 16 });
const extensible = fmt({
  tag: 0xff_fe,
  block: 2,
  bits: 16,
  more: Buffer.concat([little([2, 22], [2, 16], [4, 4], [2, 1]), Buffer.alloc(14)]),
});

function aiff(bytes: number, data = samples, version: "AIFF" | "AIFC" = "AIFF"): Buffer {
  // 8,000 as a float of 80 bits.
  const rate = Buffer.from("400bfa00000000000000", "hex");
  const common = Buffer.concat([
    big(2, 1),
    big(4, 1),
    big(2, 16),
    rate,
    Buffer.from(version === "AIFC" ? "sowt\0\0" : ""),
  ]);
  const chunkOf = (id: string, size: number, body: Buffer) => Buffer.concat([Buffer.from(id), big(4, size), body]);
  return Buffer.concat([
    chunkOf("FORM", unknown, Buffer.from(version)),
    chunkOf("COMM", common.length, common),
    chunkOf("SSND", bytes, Buffer.concat([Buffer.alloc(8), data])),
  ]);
}

function caf(size: bigint): Buffer {
  const description = Buffer.alloc(32);
  description.writeDoubleBE(8_000, 0);
  description.write("lpcm", 8);
  for (const [at, value] of [2, 1, 1, 16].entries()) description.writeUInt32BE(value, 16 + at * 4);
  const dataSize = Buffer.alloc(8);
  dataSize.writeBigInt64BE(size);
  return Buffer.concat([
    Buffer.from("caff\0\x01\0\0desc"),
    big(8, 32),
    description,
    Buffer.from("data"),
    dataSize,
    Buffer.alloc(4),
    samples,
  ]);
}

const guid = (name: string): Buffer =>
  Buffer.concat([Buffer.from(name), Buffer.from("f3acd3118cd100c04f8edb8a", "hex")]);
function wave64(size: number): Buffer {
  const format = little([2, 1], [2, 1], [4, 8_000], [4, 16_000], [2, 2], [2, 16]);
  return Buffer.concat([
    Buffer.from("riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00", "latin1"),
    little([8, size]),
    guid("wave"),
    guid("fmt "),
    little([8, 24 + format.length]),
    format,
    guid("data"),
    little([8, size]),
    samples,
  ]);
}

function au(size: number): Buffer {
  return Buffer.concat([Buffer.from(".snd"), ...[24, size, 3, 8_000, 1].map((value) => big(4, value)), samples]);
}

async function secondsOf(file: Buffer, size = file.length): Promise<number | undefined> {
  const read = (start: number, length: number) => Promise.resolve(file.subarray(start, start + length));
  return await secondsBySamples({ read, size });
}

describe("twelve seconds are found in", () => {
  test.each<[string, Buffer]>([
    ["a WAV", Buffer.concat([wavHead(form, samples.length), samples])],
    ["a WAV of unknown size, as ffmpeg writes it to a pipe", Buffer.concat([wavHead(form, unknown), samples])],
    ["a WAV that states no bytes", Buffer.concat([wavHead(form, 0), samples])],
    [
      "a WAV that states no bytes, and begins like a chunk",
      Buffer.concat([wavHead(form, 0), Buffer.from("JUNK"), little([4, samples.length]), samples]),
    ],
    ["a WAV that states one second", Buffer.concat([wavHead(form, 16_000), samples])],
    ["a WAV that states more than it contains", Buffer.concat([wavHead(form, 1_000_000_000), samples])],
    ["a WAV with text after it", wave([pcm, chunk("data", samples), chunk("LIST", Buffer.alloc(501))])],
    ["a WAV with an empty chunk before it", wave([chunk("JUNK", Buffer.alloc(0)), pcm, chunk("data", samples)])],
    [
      "a WAV in two pieces",
      wave([pcm, chunk("data", samples.subarray(96_000)), chunk("data", samples.subarray(96_000))]),
    ],
    ["a WAV with a large block size", wave([fmt({ tag: 1, block: 65_535, bits: 16 }), chunk("data", samples)])],
    ["an extensible WAV", wave([extensible, chunk("data", samples, 0)])],
    ["an A-law WAV", wave([fmt({ tag: 6, block: 1, bits: 8 }), chunk("data", samples.subarray(96_000), unknown)])],
    [
      "a WAV with float samples",
      wave([fmt({ tag: 3, block: 4, bits: 32 }), chunk("data", Buffer.concat([samples, samples]), 0)]),
    ],
    [
      "an IMA ADPCM WAV",
      // 505 samples in a block of 256 bytes.
      wave([fmt({ tag: 17, block: 256, bits: 4 }), chunk("data", Buffer.alloc(Math.round((96_000 / 505) * 256)), 0)]),
    ],
    ["an RF64 of unknown size", wave([chunk("ds64", Buffer.alloc(28)), pcm, chunk("data", samples, unknown)], "RF64")],
    ["a BW64 that states no bytes", wave([chunk("ds64", Buffer.alloc(28)), pcm, chunk("data", samples, 0)], "BW64")],
    ["a Wave64", wave64(24 + samples.length)],
    ["a Wave64 of unknown size", wave64(0)],
    ["an AIFF", aiff(8 + samples.length)],
    ["an AIFF of unknown size", aiff(unknown)],
    ["an AIFF that states no bytes", aiff(0)],
    ["an AIFF-C", aiff(8 + samples.length, samples, "AIFC")],
    ["a CAF of unknown size", caf(-1n)],
    ["a CAF that states its size", caf(BigInt(4 + samples.length))],
    ["an AU of unknown size", au(unknown)],
    ["an AU that states one second", au(16_000)],
  ])("%s", async (_, file) => {
    expect(await secondsOf(file)).toBeCloseTo(12, 1);
  });
});

test("the beginning of a file gives the seconds of its declared bytes, regardless of its header", async () => {
  for (const stated of [0, 16_000, samples.length, unknown]) {
    const head = Buffer.concat([wavHead(form, stated), samples.subarray(0, 4_000)]);
    expect(await secondsOf(head, 44 + samples.length)).toBeCloseTo(12);
  }
});

test.each<[string, Buffer]>([
  ["nothing", Buffer.alloc(0)],
  ["text", Buffer.from("RIFF is a word, and so is WAVE")],
  ["a header without samples", wavHead(form, 0)],
  ["an incomplete header", wavHead(form, 0).subarray(0, 30)],
  ["samples with rate 0", Buffer.concat([wavHead({ ...form, sampleRate: 0 }, 0), samples])],
  ["compressed samples", wave([fmt({ tag: 0x55, block: 1, bits: 0 }), chunk("data", samples)])],
  ["an endless sequence of empty chunks", wave(Array<Buffer>(20_000).fill(chunk("JUNK", Buffer.alloc(0))))],
])("%s has no known length", async (_, file) => {
  expect(await secondsOf(file)).toBeUndefined();
});
