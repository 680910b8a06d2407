import { read } from "node:fs";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { parentPort } from "node:worker_threads";
import { parseStream } from "music-metadata";
import { countedLength } from "./counted-length.ts";
import type { LengthFound, LengthJob } from "./length-job.ts";
import { secondsBySamples } from "./samples/seconds.ts";

/** A thread of its own for reading files of strangers: one that takes for ever is ended with it (`length-reader.ts`). */
parentPort?.on("message", (job: LengthJob) => {
  void find(job).then((found) => {
    // The rule is about windows; a thread's port has one other end.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(found);
  });
});

// The first message says that files may come.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage({} satisfies LengthFound);

/**
 * Counts the sound that is there: samples by their bytes, frames one by one. Of kinds that cannot be counted, the
 * file's own statement is taken: by its bytes first, since names of files are often wrong.
 */
async function find(job: LengthJob): Promise<LengthFound> {
  const duration = (await samples(job)) ?? (await counted(job.descriptor, job.size));
  if (duration !== undefined && duration > 0) return { duration };
  const { path, ...nameless } = job;
  const found = await lengthOf(nameless);
  return found.duration === undefined && path !== undefined ? await lengthOf(job) : found;
}

async function samples({ descriptor, size }: LengthJob): Promise<number | undefined> {
  const read = async (start: number, length: number): Promise<Buffer> => {
    const piece = Buffer.alloc(length);
    const { bytesRead } = await readAt(descriptor, piece, 0, length, start);
    return piece.subarray(0, bytesRead);
  };
  return await secondsBySamples({ read, size });
}

async function counted(descriptor: number, size: number): Promise<number | undefined> {
  try {
    return await countedLength(descriptor, size);
  } catch {
    // Another kind, no audio at all, or too much of it.
    return undefined;
  }
}

async function lengthOf({ descriptor, size, path }: LengthJob): Promise<LengthFound> {
  const info = path === undefined ? { size } : { size, path };
  const stream = Readable.from(bytesOf(descriptor, size), { objectMode: false });
  try {
    const { format } = await parseStream(stream, info, { duration: true, skipCovers: true });
    return pick(format);
  } catch {
    // A file that cannot be read has no known length.
    return {};
  } finally {
    stream.destroy();
  }
}

const readAt = promisify(read);
/** Bytes that are read at once. */
const pieceBytes = 16 * 1024;

/** The file's bytes from the first one; the file stays open, since it is another thread's. */
async function* bytesOf(descriptor: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size - at));
    const { bytesRead } = await readAt(descriptor, piece, 0, piece.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Length of a file's sound as a reader of headers finds it. */
interface HeadLength extends LengthFound {
  readonly sampleRate?: number | undefined;
  readonly numberOfChannels?: number | undefined;
  readonly bitsPerSample?: number | undefined;
}

/** No sound has more bits a second than its samples: a head that says so is wrong. */
function pick({ duration, bitrate, sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: HeadLength): LengthFound {
  const most = sampleRate * numberOfChannels * bitsPerSample;
  return { duration, bitrate, ...(most > 0 ? { maxBitrate: most } : {}) };
}
