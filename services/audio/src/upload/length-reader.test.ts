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
