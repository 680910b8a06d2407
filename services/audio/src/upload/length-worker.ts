import { read } from "node:fs";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { parentPort } from "node:worker_threads";
import { parseStream } from "music-metadata";
import { countLength } from "./counted-length.ts";
import type { LengthFound, LengthJob } from "./length-job.ts";
import { secondsBySamples } from "./samples/seconds.ts";

parentPort?.on("message", (job: LengthJob) => {
  void findLength(job).then((length) => {
    // The rule concerns windows; a thread's port has exactly one receiver.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(length);
  });
});

// The first message reports that the thread is ready.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage({} satisfies LengthFound);

/** Counts the seconds of a file. If its format cannot be counted, returns the length that its header states. */
async function findLength(job: LengthJob): Promise<LengthFound> {
  const duration = (await sampleSeconds(job)) ?? (await countSeconds(job.descriptor, job.size));
  if (duration !== undefined && duration > 0) return { duration };
  const { path, ...nameless } = job;
  // The format is recognized by the bytes if possible, because file names are often wrong.
  const length = await statedLength(nameless);
  return length.duration === undefined && path !== undefined ? await statedLength(job) : length;
}

async function sampleSeconds({ descriptor, size }: LengthJob): Promise<number | undefined> {
  const read = async (start: number, length: number): Promise<Buffer> => {
    const piece = Buffer.alloc(length);
    const { bytesRead } = await readAt(descriptor, piece, 0, length, start);
    return piece.subarray(0, bytesRead);
  };
  return await secondsBySamples({ read, size });
}

async function countSeconds(descriptor: number, size: number): Promise<number | undefined> {
  try {
    return await countLength(descriptor, size);
  } catch {
    // The file has another format or no audio, or it is too long to count.
    return undefined;
  }
}

async function statedLength({ descriptor, size, path }: LengthJob): Promise<LengthFound> {
  const info = path === undefined ? { size } : { size, path };
  const stream = Readable.from(bytesOf(descriptor, size), { objectMode: false });
  try {
    const { format } = await parseStream(stream, info, { duration: true, skipCovers: true });
    return withMaxBitrate(format);
  } catch {
    return {};
  } finally {
    stream.destroy();
  }
}

const readAt = promisify(read);
const pieceBytes = 16 * 1024;

/** Yields the file's bytes from the start. Leaves the file open, because another thread owns it. */
async function* bytesOf(descriptor: number, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size - position));
    const { bytesRead } = await readAt(descriptor, piece, 0, piece.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

interface HeaderLength extends LengthFound {
  readonly sampleRate?: number | undefined;
  readonly numberOfChannels?: number | undefined;
  readonly bitsPerSample?: number | undefined;
}

/** Adds the bit rate of the uncompressed samples, if the header states their format. */
function withMaxBitrate({
  duration,
  bitrate,
  sampleRate = 0,
  numberOfChannels = 0,
  bitsPerSample = 0,
}: HeaderLength): LengthFound {
  const max = sampleRate * numberOfChannels * bitsPerSample;
  return { duration, bitrate, ...(max > 0 ? { maxBitrate: max } : {}) };
}
