import type { Readable } from "node:stream";
import type { JobOwner } from "./account-turns.ts";
import type { LengthFound } from "./length-job.ts";
import type { LengthReader } from "./length-reader.ts";
import { secondsBySamples } from "./samples/seconds.ts";
import type { Upload } from "./upload.ts";

/**
 * Numbers of leading bytes to inspect before the upload is complete. Most headers are short, some contain a picture.
 */
const headBytes = [4 * 1024, 64 * 1024, 512 * 1024];
/**
 * Assumed bytes per second of a file whose length cannot be read: speech usually has at least 32 kilobits per second.
 */
const usualBytesPerSecond = 4_000;

/** Length of an audio file, measured or estimated. */
export interface AudioLength {
  readonly seconds: number;
  /** False if the length was estimated from the file's size. */
  readonly isMeasured: boolean;
}

export interface LengthOptions {
  readonly reader: LengthReader;
  /** Maximum seconds assumed for a file whose length cannot be read. */
  readonly maxUnreadSeconds: number;
  readonly owner: JobOwner;
}

/** Returns the length of a file once it is complete. Rejects with Failure rate_limit_exceeded (429). */
export async function lengthOf(
  { file, completed }: Upload,
  { reader, maxUnreadSeconds, owner }: LengthOptions,
): Promise<AudioLength> {
  await completed;
  const { size, filename: path, descriptor } = file;
  const seconds = secondsIn(await reader.find({ descriptor, size, path }, owner), size);
  if (seconds !== undefined) return { seconds, isMeasured: true };
  return { seconds: Math.min(size / usualBytesPerSecond, maxUnreadSeconds), isMeasured: false };
}

/**
 * Returns the maximum length of an upload, in seconds. Headers of compressed formats may understate the length, so
 * such a file is measured when it is complete.
 */
export async function maxSecondsOf(upload: Upload, length: () => Promise<AudioLength>): Promise<number> {
  for (const bytes of headBytes) {
    if (upload.announcedBytes === undefined) break;
    await Promise.race([upload.file.waitForBytes(bytes), upload.completed]);
    if (upload.isComplete) break;
    const head = await readHead(upload.file.read(), Math.min(bytes, upload.file.size));
    const read = (start: number, max: number) => Promise.resolve(head.subarray(start, start + max));
    const seconds = await secondsBySamples({ read, size: upload.announcedBytes });
    if (seconds !== undefined) return Math.ceil(seconds);
  }
  return Math.ceil((await length()).seconds);
}

async function readHead(stream: Readable, bytes: number): Promise<Buffer> {
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

/**
 * Returns the seconds of a file; undefined if unknown. A length in the header is wrong if even uncompressed samples of
 * the file's size would last longer.
 */
export function secondsIn({ duration, bitrate, maxBitrate }: LengthFound, size: number): number | undefined {
  const statedSeconds = positiveOrUndefined(duration) ?? secondsAtRate(bitrate, size);
  const minSeconds = secondsAtRate(maxBitrate, size);
  return statedSeconds === undefined || minSeconds === undefined ? statedSeconds : Math.max(statedSeconds, minSeconds);
}

function secondsAtRate(bitrate: number | undefined, size: number): number | undefined {
  return positiveOrUndefined(bitrate === undefined ? undefined : (size * 8) / bitrate);
}

function positiveOrUndefined(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
