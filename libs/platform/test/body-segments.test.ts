import { expect, test } from "vitest";
import { BodySegments } from "../src/read-body.ts";

const megabyte = 1024 * 1024;

/** Returns bytes that differ from their neighbours, so that a lost or moved byte is noticed. */
const bytesOf = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 251));

test.each([
  ["no bytes", 0, 0, 1],
  ["one byte", 1, 0, 1],
  ["a first segment that is full", 16_384, 0, 1_000],
  ["one byte more than the first segment", 16_385, 0, 1_000],
  ["a declared length in several chunks", 100_000, 100_000, 999],
  ["more than a segment of a megabyte, in large chunks", 3 * megabyte + 5, 0, 2 * megabyte],
  ["several segments of a megabyte, in small chunks", 3 * megabyte + 5, 5 * megabyte, 65_536],
] as const)("%s: the joined bytes are those that were added", async (_, total, declared, chunkBytes) => {
  const bytes = bytesOf(total);
  const segments = new BodySegments(declared);
  for (let from = 0; from < total; from += chunkBytes)
    segments.add(Buffer.from(bytes.subarray(from, from + chunkBytes)));
  expect(segments.size).toBe(total);
  expect((await segments.join()).equals(bytes)).toBe(true);
});

test("a large body is joined in turns, and its segments are released", async () => {
  const segments = new BodySegments(0);
  segments.add(bytesOf(3 * megabyte));
  const joined = segments.join();
  expect(joined).toBeInstanceOf(Promise);
  expect(await joined).toHaveLength(3 * megabyte);
  expect(await segments.join()).toHaveLength(0);
});

test("a body in one chunk is not copied", () => {
  const segments = new BodySegments(3);
  const chunk = Buffer.from("abc");
  segments.add(chunk);
  const joined = segments.join();
  expect(joined instanceof Buffer && joined.buffer === chunk.buffer && joined.byteOffset === chunk.byteOffset).toBe(
    true,
  );
});
