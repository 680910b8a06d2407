/** Reads up to `length` available bytes of a file, from `start` on. */
export type ReadBytes = (start: number, length: number) => Promise<Buffer>;

/** Audio file whose duration follows from the number of bytes of its samples. */
export interface SampleFile {
  readonly read: ReadBytes;
  /** Bytes of the complete file, even if `read` returns only its beginning. */
  readonly size: number;
}

/** Chunk of a file: its name, and the position of its body. */
interface Chunk {
  readonly id: string;
  readonly start: number;
  /** Bytes of the chunk's body; undefined if the chunk's header does not state them. */
  readonly size: number | undefined;
}

/** Chunk layout of a file format. */
export interface ChunkLayout {
  /** Bytes of a chunk's header. */
  readonly headBytes: number;
  /** Byte alignment of a chunk's end. */
  readonly align: number;
  /** Reads the chunk's name from its header; undefined for bytes that are not a chunk header. */
  readonly id: (head: Buffer) => string | undefined;
  /** Reads the size of a chunk's body from its header; undefined if a program that writes to a pipe omitted it. */
  readonly size: (head: Buffer) => number | undefined;
}

/** Bytes of samples per second of audio. */
export type ByteRate = number;

/** Maximum chunks of a file. A file with more is not a recording. */
const maxChunks = 10_000;
/** Maximum bytes to read of the chunk that describes the samples. */
const maxDescriptionBytes = 4_096;

/** Chunks of a file format that determine the length of its audio. */
export interface SampleChunks {
  readonly layout: ChunkLayout;
  readonly firstOffset: number;
  /** Chunk that describes the samples. `rateOf` parses their rate; undefined for an encoding without a fixed rate. */
  readonly description: { readonly id: string; readonly rateOf: (body: Buffer) => ByteRate | undefined };
  /** Chunk with the samples. `skipped` is the number of bytes before the samples in its body. */
  readonly samples: { readonly id: string; readonly skipped: number };
}

/**
 * Computes the seconds of a file's samples. If the chunk sizes do not match the file's size, everything after the
 * header of the samples is read as samples.
 */
export async function secondsOfChunks(
  file: SampleFile,
  { layout, firstOffset, description, samples }: SampleChunks,
): Promise<number | undefined> {
  let rate: ByteRate | undefined;
  let countedBytes = 0;
  let startedAt: number | undefined;
  let end = 0;
  for await (const chunk of chunksIn(file, layout, firstOffset)) {
    const isSamples = chunk.id === samples.id;
    // A chunk of samples without a size extends to the end of the file. Any other chunk without a size is empty.
    const bytes = chunk.size ?? (isSamples ? Infinity : 0);
    end = chunk.start + bytes;
    if (chunk.id === description.id && startedAt === undefined)
      rate = description.rateOf(await file.read(chunk.start, Math.min(bytes, maxDescriptionBytes))) ?? rate;
    if (!isSamples) continue;
    startedAt ??= chunk.start + samples.skipped;
    countedBytes += Math.max(0, bytes - samples.skipped);
    if (bytes === Infinity) break;
  }
  if (startedAt === undefined || rate === undefined) return undefined;
  const isConsistent = end <= file.size && alignPosition(end, layout) >= file.size;
  const bytes = isConsistent ? countedBytes : file.size - startedAt;
  return bytes > 0 ? bytes / rate : undefined;
}

async function* chunksIn({ read, size }: SampleFile, layout: ChunkLayout, firstOffset: number): AsyncGenerator<Chunk> {
  let position = firstOffset;
  for (let chunks = 0; position < size && chunks < maxChunks; chunks++) {
    const head = await read(position, layout.headBytes);
    const id = head.length < layout.headBytes ? undefined : layout.id(head);
    if (id === undefined) return;
    const chunk = { id, start: position + layout.headBytes, size: layout.size(head) };
    yield chunk;
    position = alignPosition(chunk.start + (chunk.size ?? 0), layout);
  }
}

function alignPosition(position: number, { align }: ChunkLayout): number {
  return Math.ceil(position / align) * align;
}

/** Reads a chunk id of four printable ASCII characters; undefined if the bytes are not one. */
export function fourCharacters(head: Buffer): string | undefined {
  const name = head.toString("latin1", 0, 4);
  return /^[\x20-\x7e]{4}$/.test(name) ? name : undefined;
}

/** Returns a 32-bit size; undefined for 0 and all ones, which programs write if they do not know the size. */
export function statedSize(size: number): number | undefined {
  return size === 0 || size === 0xff_ff_ff_ff ? undefined : size;
}

/** Returns the byte rate of uncompressed samples; undefined for invalid values. */
export function pcmRate(sampleRate: number, channels: number, bits: number): ByteRate | undefined {
  const rate = sampleRate * channels * Math.ceil(bits / 8);
  return Number.isFinite(rate) && rate > 0 ? rate : undefined;
}
