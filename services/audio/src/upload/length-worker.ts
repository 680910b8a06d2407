import { read } from "node:fs";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { parentPort } from "node:worker_threads";
import { parseStream } from "music-metadata";
import { countedLength } from "./counted-length.ts";
import type { LengthFound, LengthJob } from "./length-job.ts";

/** A thread of its own for reading files of strangers: one that takes for ever is ended with it (`length-reader.ts`). */
parentPort?.on("message", (job: LengthJob) => {
  void find(job).then((found) => {
    // The rule is about windows; a thread's port has one other end.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(found);
  });
});

/**
 * What is there is counted. Of kinds that cannot be, and of a beginning, what the file says of itself is taken: by its
 * bytes first, since names of files are often wrong.
 */
async function find(job: LengthJob): Promise<LengthFound> {
  if ("head" in job.source) return await told(job);
  const duration = await counted(job.source.descriptor, job.size);
  if (duration !== undefined) return { duration };
  const { path, ...nameless } = job;
  const found = await told(nameless);
  return found.duration === undefined && path !== undefined ? await told(job) : found;
}

async function counted(descriptor: number, size: number): Promise<number | undefined> {
  try {
    return await countedLength(descriptor, size);
  } catch {
    // Another kind, no audio at all, or too much of it.
    return undefined;
  }
}

/**
 * Kinds of files whose head tells the length of the whole. Of others (Ogg above all) a beginning looks like a short file.
 */
const toldByHead: ReadonlySet<string> = new Set(["WAVE", "AIFF", "FLAC", "MPEG"]);

async function told({ source, size, path }: LengthJob): Promise<LengthFound> {
  const info = path === undefined ? { size } : { size, path };
  // A head is read as the beginning of a file of the announced size, not as all of it.
  const pieces = "head" in source ? [source.head] : bytesOf(source.descriptor, size);
  const stream = Readable.from(pieces, { objectMode: false });
  try {
    const { format } = await parseStream(stream, info, { duration: "descriptor" in source, skipCovers: true });
    return "head" in source && !toldByHead.has(format.container ?? "") ? {} : pick(format);
  } catch {
    // What cannot be read tells nothing.
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

/** What a reader of heads says of a file's sound. */
interface Told extends LengthFound {
  readonly sampleRate?: number | undefined;
  readonly numberOfChannels?: number | undefined;
  readonly bitsPerSample?: number | undefined;
}

/** No sound has more bits a second than its samples: a head that says so is wrong. */
function pick({ duration, bitrate, sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: Told): LengthFound {
  const most = sampleRate * numberOfChannels * bitsPerSample;
  return { duration, bitrate: bitrate === undefined || most === 0 ? bitrate : Math.min(bitrate, most) };
}
