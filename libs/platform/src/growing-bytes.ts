/** Size of the first buffer, in bytes. */
const firstBufferBytes = 16 * 1024;

/**
 * Collects the chunks of a body in one buffer, which doubles its size when it is full. It allocates at most twice the
 * bytes that have arrived (at least 16 KiB), even if a larger length was declared. Chunks are copied when they arrive
 * and then not kept.
 */
export class GrowingBytes {
  readonly #expected: number;
  #buffer: Buffer | undefined;
  /** Number of bytes that were added. */
  size = 0;

  /** `expected` is the declared length, which limits the buffer's growth; 0 means unknown. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    // A small body arrives in one chunk. The chunk is used without a copy.
    if (this.#buffer === undefined && size >= this.#expected && chunk.length > 0 && this.#expected > 0) {
      this.#buffer = chunk;
    } else {
      const buffer = this.#bufferFor(size);
      chunk.copy(buffer, this.size);
    }
    this.size = size;
  }

  /**
   * Returns all bytes that were added. If more than a fifth of the buffer is unused, the bytes are copied to a smaller
   * one.
   */
  get bytes(): Buffer {
    const buffer = this.#buffer ?? Buffer.alloc(0);
    const bytes = buffer.subarray(0, this.size);
    return buffer.length - this.size > this.size / 4 ? Buffer.from(bytes) : bytes;
  }

  #bufferFor(size: number): Buffer {
    const buffer = this.#buffer;
    if (buffer !== undefined && buffer.length >= size) return buffer;
    const doubled = Math.max(firstBufferBytes, 2 * (buffer?.length ?? 0));
    const target = this.#expected >= size ? Math.min(this.#expected, doubled) : doubled;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, target));
    buffer?.copy(larger, 0, 0, this.size);
    this.#buffer = larger;
    return larger;
  }
}
