/** Bytes that the first buffer has. */
const firstBytes = 16 * 1024;

/**
 * Collects the pieces of a body in one buffer, which doubles when it is full. A declared length allocates nothing in
 * advance: memory follows the bytes that have arrived, up to twice as much (at least 16 KiB). Pieces are copied as they
 * arrive, and are not kept besides the buffer.
 */
export class GrowingBytes {
  readonly #expected: number;
  #buffer: Buffer | undefined;
  /** Bytes so far. */
  size = 0;

  /** `expected` bytes end the growth: a body of declared length gets no larger buffer. 0: not known. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    // A small body comes in one piece: it stays where it is.
    if (this.#buffer === undefined && size >= this.#expected && chunk.length > 0 && this.#expected > 0) {
      this.#buffer = chunk;
    } else {
      const buffer = this.#bufferFor(size);
      chunk.copy(buffer, this.size);
    }
    this.size = size;
  }

  /** All bytes so far; what is not used of the buffer is let go where it is much. */
  get bytes(): Buffer {
    const buffer = this.#buffer ?? Buffer.alloc(0);
    const bytes = buffer.subarray(0, this.size);
    return buffer.length - this.size > this.size / 4 ? Buffer.from(bytes) : bytes;
  }

  #bufferFor(size: number): Buffer {
    const buffer = this.#buffer;
    if (buffer !== undefined && buffer.length >= size) return buffer;
    const doubled = Math.max(firstBytes, 2 * (buffer?.length ?? 0));
    const wanted = this.#expected >= size ? Math.min(this.#expected, doubled) : doubled;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, wanted));
    buffer?.copy(larger, 0, 0, this.size);
    this.#buffer = larger;
    return larger;
  }
}
