import type { Readable } from "node:stream";
import type { LengthFound } from "./length-job.ts";
import type { LengthReader } from "./length-reader.ts";
import { secondsBySamples } from "./samples/seconds.ts";
import type { Upload } from "./upload.ts";

/** Bytes of a file that are read before it is whole: most headers are short, a few hold a picture. */
const headBytes = [4 * 1024, 64 * 1024, 512 * 1024];
/**
 * Bytes per second of a file whose length cannot be read: speech is usually recorded with 32 kilobits a second or more.
 * Codecs go down to 6, but a file of one of those is counted; what remains is of kinds that vendors refuse.
 */
const usualBytesPerSecond = 4_000;

/** Length of a file, in seconds. */
export interface AudioLength {
  readonly seconds: number;
  /** True if the file itself states it; else it follows from the file's size. */
  readonly isStated: boolean;
}

/** Options for finding a length. */
export interface LengthOptions {
  readonly reader: LengthReader;
  /** Longest that a file is taken for whose length cannot be read, in seconds. */
  readonly maxUnread: number;
}

/** The length of a whole file, which it waits for: counted in its samples or frames, or else as its header states. */
export async function lengthOf({ file, whole }: Upload, { reader, maxUnread }: LengthOptions): Promise<AudioLength> {
  await whole;
  const { size, filename: path, descriptor } = file;
  const seconds = secondsIn(await reader.find({ descriptor, size, path }), size);
  if (seconds !== undefined) return { seconds, isStated: true };
  return { seconds: Math.min(size / usualBytesPerSecond, maxUnread), isStated: false };
}

/**
 * The most that an upload can be long, in whole seconds. A file of samples is as long as its announced bytes, which its
 * head states at once; of any other, a head may say less than there is, so all of it is waited for and counted.
 */
export async function boundOf(upload: Upload, length: () => Promise<AudioLength>): Promise<number> {
  for (const bytes of headBytes) {
    if (upload.announced === undefined) break;
    await Promise.race([upload.file.reached(bytes), upload.whole]);
    if (upload.isWhole) break;
    const head = await headOf(upload.file.read(), Math.min(bytes, upload.file.size));
    const read = (start: number, most: number) => Promise.resolve(head.subarray(start, start + most));
    const seconds = await secondsBySamples({ read, size: upload.announced });
    if (seconds !== undefined) return Math.ceil(seconds);
  }
  return Math.ceil((await length()).seconds);
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

/**
 * The seconds of a file of so many bytes, by what a reader found: what the file states, or what follows from its rate.
 * Never less than its bytes make as samples that are not compressed: a head that says so is wrong. Undefined without both.
 */
export function secondsIn({ duration, bitrate, maxBitrate }: LengthFound, size: number): number | undefined {
  const stated = usable(duration) ?? atRate(bitrate, size);
  const least = atRate(maxBitrate, size);
  return stated === undefined || least === undefined ? stated : Math.max(stated, least);
}

function atRate(bitrate: number | undefined, size: number): number | undefined {
  return usable(bitrate === undefined ? undefined : (size * 8) / bitrate);
}

function usable(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
