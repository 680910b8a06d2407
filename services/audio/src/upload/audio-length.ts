import type { Readable } from "node:stream";
import { parseBuffer, parseStream, type IAudioMetadata, type IFileInfo } from "music-metadata";
import type { Upload } from "./upload.ts";

/** How much of a file is looked at before it is whole: most heads are short, a few hold a picture. */
const headBytes = [4 * 1024, 64 * 1024, 512 * 1024];
/** Longest that a file is read for its length. */
const mostMs = 20_000;
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

/** The length of a whole file, which it waits for: what its frames or its head say. */
export async function lengthOf({ file, whole }: Upload): Promise<AudioLength> {
  await whole;
  const seconds =
    (await told(file.read(), { size: file.size })) ??
    (await told(file.read(), { size: file.size, path: file.filename }));
  return seconds === undefined
    ? { seconds: file.size / usualBytesPerSecond, isTold: false }
    : { seconds, isTold: true };
}

/** The most that an upload can be long. Waits for its head, or for all of it where the head does not tell. */
export async function boundOf(upload: Upload, length: () => Promise<AudioLength>): Promise<number> {
  for (const bytes of headBytes) {
    await Promise.race([upload.file.reached(bytes), upload.whole]);
    if (upload.isWhole) break;
    const seconds = await boundByHead(upload, bytes);
    if (seconds !== undefined) return Math.ceil(seconds);
  }
  const { seconds, isTold } = await length();
  return Math.ceil(isTold ? seconds : upload.file.size / leastBytesPerSecond);
}

/** What a head promises, no more than the announced bytes can hold at the rate that it names. */
async function boundByHead({ file, announced }: Upload, bytes: number): Promise<number | undefined> {
  if (announced === undefined) return undefined;
  try {
    const head = await headOf(file.read(), Math.min(bytes, file.size));
    const { format } = await parseBuffer(head, { size: announced }, { duration: false, skipCovers: true });
    const bySize = format.bitrate === undefined ? undefined : (announced * 8) / format.bitrate;
    const promised = format.duration;
    if (promised === undefined || bySize === undefined) return undefined;
    return usable(Math.min(promised, bySize)) ?? usable(bySize);
  } catch {
    // A head that is cut, or none that the reader knows: all of the file tells more.
    return undefined;
  }
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

/** What a reader finds in a file; undefined for what it cannot read, or not in time. */
async function told(stream: Readable, info: IFileInfo): Promise<number | undefined> {
  const timer = setTimeout(() => stream.destroy(new Error("the file took too long to read")), mostMs);
  try {
    const found = await parseStream(stream, info, { duration: true, skipCovers: true });
    return secondsIn(found, info.size ?? 0);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}

function secondsIn({ format: { duration, bitrate } }: IAudioMetadata, size: number): number | undefined {
  return usable(duration) ?? usable(bitrate === undefined ? undefined : (size * 8) / bitrate);
}

function usable(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
