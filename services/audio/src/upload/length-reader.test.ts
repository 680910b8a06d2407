import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLengthReader, type LengthReader } from "./length-reader.ts";

let folder: string;
let reader: LengthReader;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-length-"));
  reader = openLengthReader();
});
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Two seconds of silence: 8 kHz, 8 bit, mono. */
function wav(): Buffer {
  const bytes = Buffer.alloc(44 + 16_000, 0x80);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 16_000, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(8_000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(16_000, 40);
  return bytes;
}

/** A page of Ogg (RFC 3533) with one packet; the reader asks for no checksum. */
function page(packet: Buffer, position: number, isFirst = false): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS");
  head.writeUInt8(isFirst ? 2 : 0, 5);
  head.writeBigUInt64LE(BigInt(position), 6);
  head.writeUInt8(Math.floor(packet.length / 255) + 1, 26);
  const lacing = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255];
  return Buffer.concat([head, Buffer.from(lacing), packet]);
}

/** Opus (RFC 7845): a page for each second. */
function opus(seconds: number): Buffer {
  const [head, tags] = [Buffer.alloc(19), Buffer.alloc(16)];
  head.write("OpusHead");
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt32LE(48_000, 12);
  tags.write("OpusTags");
  const pages = Array.from({ length: seconds }, (_, at) => page(Buffer.alloc(1_000), (at + 1) * 48_000));
  return Buffer.concat([page(head, 0, true), page(tags, 0), ...pages]);
}

async function find(bytes: Buffer, path?: string) {
  const name = join(folder, "file");
  writeFileSync(name, bytes);
  await using file = await open(name);
  const job = { source: { descriptor: file.fd }, size: bytes.length };
  return await reader.find(path === undefined ? job : { ...job, path });
}

test("a file tells its length, and so does its head", async () => {
  expect(await find(wav())).toMatchObject({ duration: 2, bitrate: 64_000 });
  const head = wav().subarray(0, 1_000);
  expect(await reader.find({ source: { head }, size: 16_044 })).toMatchObject({ duration: 2 });
});

test("the beginning of a file in pages does not pass for all of it", async () => {
  const bytes = opus(60);
  expect((await find(bytes)).duration).toBeCloseTo(60);
  for (const size of [1_500, 10_000])
    expect(await reader.find({ source: { head: bytes.subarray(0, size) }, size: bytes.length })).toEqual({});
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["text", Buffer.from("no sound at all")],
  ["a head without a body", wav().subarray(0, 20)],
])("%s tells none", async (_, bytes) => {
  expect((await find(bytes)).duration).toBeUndefined();
});

test("a file that is made to be slow to read is given up, holds up nobody, and the next is read", async () => {
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  expect(await find(Buffer.alloc(16 * 1_048_576, 0xff), "slow.mp3")).toEqual({});
  clearInterval(turning);
  expect(turns).toBeGreaterThan(10);
  expect(await find(wav())).toMatchObject({ duration: 2 });
});
