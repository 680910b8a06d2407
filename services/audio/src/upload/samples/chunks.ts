/** Reads bytes of a file: as many as are there, from `start` on. */
export type ReadBytes = (start: number, length: number) => Promise<Buffer>;

/** A file of samples that are not compressed, or in blocks of one size: its length follows from its bytes. */
export interface SampleFile {
  readonly read: ReadBytes;
  /** Bytes of the whole file, also where `read` gives only its beginning. */
  readonly size: number;
}

/** A chunk of a file: its name, and where its body is. */
interface Chunk {
  readonly id: string;
  readonly start: number;
  /** Bytes of its body; undefined where its head leaves them open. */
  readonly size: number | undefined;
}

/** Layout of the chunks of a kind of file. */
export interface ChunkLayout {
  /** Bytes of a chunk's head. */
  readonly headBytes: number;
  /** Bytes that a chunk's end is aligned to. */
  readonly align: number;
  /** The name in a head; undefined for anything else. */
  readonly id: (head: Buffer) => string | undefined;
  /** Bytes of the body; undefined where the head leaves them open, as a writer to a pipe has to. */
  readonly size: (head: Buffer) => number | undefined;
}

/** Bytes of samples in a second of sound. */
export type ByteRate = number;

/** Maximum chunks of a file: a file that has more is no recording. */
const maxChunks = 10_000;
/** Maximum bytes of a chunk that describes the samples. */
const maxDescriptionBytes = 4_096;

/** Chunks to look for in a file. */
export interface SampleChunks {
  readonly form: ChunkLayout;
  /** Offset of the first chunk. */
  readonly first: number;
  /** The chunk that describes the samples, and what it says; undefined for a form without a fixed rate. */
  readonly description: { readonly id: string; readonly rateOf: (body: Buffer) => ByteRate | undefined };
  /** The chunk with the samples, and its leading bytes that are not samples. */
  readonly samples: { readonly id: string; readonly skipped: number };
}

/**
 * Computes the length of a file's samples, in seconds; undefined where they have no fixed rate, or none are found. The
 * sizes of chunks are believed only where they lead from chunk to chunk to the end of the file: otherwise everything
 * after the head of the samples is samples, as it is for readers of a file without a size.
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
    // Only a recording goes on to the end of the file; any other chunk without a size is empty.
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

/** Reads the chunks of a file one after the other. */
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

/** A name of four printable characters. */
export function fourCharacters(head: Buffer): string | undefined {
  const name = head.toString("latin1", 0, 4);
  return /^[\x20-\x7e]{4}$/.test(name) ? name : undefined;
}

/** A size of 32 bits; undefined for what writers to a pipe leave there, nothing or all ones. */
export function openSize(size: number): number | undefined {
  return size === 0 || size === 0xff_ff_ff_ff ? undefined : size;
}

/** Bytes a second of samples that are not compressed; undefined for what cannot be. */
export function pcmRate(sampleRate: number, channels: number, bits: number): ByteRate | undefined {
  const rate = sampleRate * channels * Math.ceil(bits / 8);
  return Number.isFinite(rate) && rate > 0 ? rate : undefined;
}
