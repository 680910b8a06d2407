/** Reads available bytes of a file from `start` on, up to `length`. */
export type ReadBytes = (start: number, length: number) => Promise<Buffer>;

/** A file of uncompressed samples, or of blocks of one size, whose length follows from its bytes. */
export interface SampleFile {
  readonly read: ReadBytes;
  /** Bytes of the complete file, including where `read` only returns its beginning. */
  readonly size: number;
}

/** A chunk of a file: its name, and the position of its body. */
interface Chunk {
  readonly id: string;
  readonly start: number;
  /** Bytes of its body; undefined where its header does not state them. */
  readonly size: number | undefined;
}

/** Chunk layout of a file format. */
export interface ChunkLayout {
  /** Bytes of a chunk's header. */
  readonly headBytes: number;
  /** Byte alignment of a chunk's end. */
  readonly align: number;
  /** Reads the name in a header; undefined for anything else. */
  readonly id: (head: Buffer) => string | undefined;
  /** Reads the body's bytes; undefined where the header leaves them open, as a writer to a pipe must. */
  readonly size: (head: Buffer) => number | undefined;
}

/** Bytes of samples per second of audio. */
export type ByteRate = number;

/** Maximum chunks of a file; a file with more is not a recording. */
const maxChunks = 10_000;
/** Maximum bytes of a chunk that describes the samples. */
const maxDescriptionBytes = 4_096;

/** Chunks to look for in a file. */
export interface SampleChunks {
  readonly form: ChunkLayout;
  /** Offset of the first chunk. */
  readonly first: number;
  /**
   * The chunk that describes the samples, and the parser of their rate; undefined for an encoding without a fixed rate.
   */
  readonly description: { readonly id: string; readonly rateOf: (body: Buffer) => ByteRate | undefined };
  /** The chunk with the samples, and the number of its leading bytes that are not samples. */
  readonly samples: { readonly id: string; readonly skipped: number };
}

/**
 * Computes the length of a file's samples, in seconds; undefined where they have no fixed rate, or none are found.
 * Chunk sizes are only trusted if they lead from chunk to chunk to the end of the file. Otherwise everything after the
 * header of the samples counts as samples, as readers of files without a size do.
 */
export async function secondsOfSamples(
  file: SampleFile,
  { form, first, description, samples }: SampleChunks,
): Promise<number | undefined> {
  let rate: ByteRate | undefined;
  let counted = 0;
  let begun: number | undefined;
  let end = 0;
  for await (const chunk of chunksIn(file, form, first)) {
    const isSamples = chunk.id === samples.id;
    // Only a recording extends to the end of the file; any other chunk without a size is empty.
    const bytes = chunk.size ?? (isSamples ? Infinity : 0);
    end = chunk.start + bytes;
    if (chunk.id === description.id && begun === undefined)
      rate = description.rateOf(await file.read(chunk.start, Math.min(bytes, maxDescriptionBytes))) ?? rate;
    if (!isSamples) continue;
    begun ??= chunk.start + samples.skipped;
    counted += Math.max(0, bytes - samples.skipped);
    if (bytes === Infinity) break;
  }
  if (begun === undefined || rate === undefined) return undefined;
  const isBelieved = end <= file.size && aligned(end, form) >= file.size;
  const bytes = isBelieved ? counted : file.size - begun;
  return bytes > 0 ? bytes / rate : undefined;
}

/** Yields the chunks of a file in order. */
async function* chunksIn({ read, size }: SampleFile, form: ChunkLayout, first: number): AsyncGenerator<Chunk> {
  let at = first;
  for (let chunks = 0; at < size && chunks < maxChunks; chunks++) {
    const head = await read(at, form.headBytes);
    const id = head.length < form.headBytes ? undefined : form.id(head);
    if (id === undefined) return;
    const chunk = { id, start: at + form.headBytes, size: form.size(head) };
    yield chunk;
    at = aligned(chunk.start + (chunk.size ?? 0), form);
  }
}

function aligned(at: number, { align }: ChunkLayout): number {
  return Math.ceil(at / align) * align;
}

/** Reads a name of four printable characters. */
export function fourCharacters(head: Buffer): string | undefined {
  const name = head.toString("latin1", 0, 4);
  return /^[\x20-\x7e]{4}$/.test(name) ? name : undefined;
}

/** Reads a 32-bit size; undefined for 0 and all ones, which writers to a pipe use. */
export function openSize(size: number): number | undefined {
  return size === 0 || size === 0xff_ff_ff_ff ? undefined : size;
}

/** Returns the bytes per second of uncompressed samples; undefined for invalid values. */
export function pcmRate(sampleRate: number, channels: number, bits: number): ByteRate | undefined {
  const rate = sampleRate * channels * Math.ceil(bits / 8);
  return Number.isFinite(rate) && rate > 0 ? rate : undefined;
}
