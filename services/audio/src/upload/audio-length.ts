import type { Readable } from "node:stream";
import type { LengthFound } from "./length-job.ts";
import type { LengthReader } from "./length-reader.ts";
import type { Upload } from "./upload.ts";

/** How much of a file is looked at before it is whole: most heads are short, a few hold a picture. */
const headBytes = [4 * 1024, 64 * 1024, 512 * 1024];
/** No codec in use is below a kilobyte a second. */
const leastBytesPerSecond = 1_000;
/** What files whose length nobody can tell are usually made with: 32 kilobits a second. */
const usualBytesPerSecond = 4_000;

/** How long a file is, in seconds. */
export interface AudioLength {
  readonly seconds: number;
  /** Whether the file itself tells it; else it follows from the file's size. */
  readonly isTold: boolean;
}

/** The length of a whole file, which it waits for: counted in its frames, or else what its head says. */
export async function lengthOf({ file, whole }: Upload, reader: LengthReader): Promise<AudioLength> {
  await whole;
  const { size, filename: path, descriptor } = file;
  const seconds = secondsIn(await reader.find({ source: { descriptor }, size, path }), size);
  return seconds === undefined ? { seconds: size / usualBytesPerSecond, isTold: false } : { seconds, isTold: true };
}

/** The most that an upload can be long. Waits for its head, or for all of it where the head does not tell. */
export async function boundOf(
  upload: Upload,
  reader: LengthReader,
  length: () => Promise<AudioLength>,
): Promise<number> {
  for (const bytes of headBytes) {
    await Promise.race([upload.file.reached(bytes), upload.whole]);
    if (upload.isWhole) break;
    const seconds = await boundByHead(upload, reader, bytes);
    if (seconds !== undefined) return Math.ceil(seconds);
  }
  const { seconds, isTold } = await length();
  return Math.ceil(isTold ? seconds : upload.file.size / leastBytesPerSecond);
}

/** What the announced bytes can hold by what their head says; undefined where it says too little. */
async function boundByHead(
  { file, announced }: Upload,
  reader: LengthReader,
  bytes: number,
): Promise<number | undefined> {
  if (announced === undefined) return undefined;
  const head = await headOf(file.read(), Math.min(bytes, file.size));
  return mostIn(await reader.find({ source: { head }, size: announced }), announced);
}

/**
 * The most seconds that a file of so many bytes has by its head: what that tells, or what the bytes hold at the rate of
 * its beginning. Each alone can be too short: a rate that falls, a length that is wrong. Undefined without both.
 */
export function mostIn({ duration, bitrate }: LengthFound, size: number): number | undefined {
  const [told, held] = [usable(duration), atRate(bitrate, size)];
  return told === undefined || held === undefined ? undefined : Math.max(told, held);
}

async function headOf(stream: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytes) break;
  }
  return Buffer.concat(chunks);
}

function secondsIn({ duration, bitrate }: LengthFound, size: number): number | undefined {
  return usable(duration) ?? atRate(bitrate, size);
}

function atRate(bitrate: number | undefined, size: number): number | undefined {
  return usable(bitrate === undefined ? undefined : (size * 8) / bitrate);
}

function usable(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
