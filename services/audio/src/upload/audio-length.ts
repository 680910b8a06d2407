import type { Readable } from "node:stream";
import type { LengthFound } from "./length-job.ts";
import type { LengthReader } from "./length-reader.ts";
import { secondsBySamples } from "./samples/seconds.ts";
import type { Upload } from "./upload.ts";

/** Bytes of a file that are read before it is complete: most headers are short, some contain a picture. */
const headBytes = [4 * 1024, 64 * 1024, 512 * 1024];
/**
 * Assumed bytes per second of a file whose length cannot be read: speech usually has at least 32 kilobits per second.
 * Codecs with less are counted by frames; the remaining formats are refused by vendors.
 */
const usualBytesPerSecond = 4_000;

/** Length of a file, in seconds. */
export interface AudioLength {
  readonly seconds: number;
  /** True if the file states it; otherwise it is computed from the file's size. */
  readonly isStated: boolean;
}

/** Options for finding a length. */
export interface LengthOptions {
  readonly reader: LengthReader;
  /** Maximum seconds assumed for a file whose length cannot be read. */
  readonly maxUnread: number;
}

/** Returns the length of a file after it is complete: counted by samples or frames, else stated in its header. */
export async function lengthOf({ file, whole }: Upload, { reader, maxUnread }: LengthOptions): Promise<AudioLength> {
  await whole;
  const { size, filename: path, descriptor } = file;
  const seconds = secondsIn(await reader.find({ descriptor, size, path }), size);
  if (seconds !== undefined) return { seconds, isStated: true };
  return { seconds: Math.min(size / usualBytesPerSecond, maxUnread), isStated: false };
}

/**
 * Returns the maximum length of an upload, in complete seconds. For uncompressed samples the header and the announced
 * size are enough. For other formats the header may understate the length, so the complete file is counted.
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
 * Returns the seconds of a file from what a reader found: the stated duration, or size and bit rate. Never less than
 * the file would have as uncompressed samples, because a header that states less is wrong. Undefined without both.
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
