/** Bytes that the first place has. */
const firstBytes = 16 * 1024;

/**
 * Bytes gathered in one place that grows with what has arrived, at most to twice of it: a declared length reserves
 * nothing, and pieces and their sum are never held both.
 */
export class GrowingBytes {
  readonly #expected: number;
  #place: Buffer | undefined;
  #size = 0;

  /** `expected` bytes end the growth: a body of declared length gets no larger a place. 0: not known. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    // A small body comes in one piece: it stays where it is.
    if (this.#place === undefined && size >= this.#expected && chunk.length > 0 && this.#expected > 0) {
      this.#place = chunk;
    } else {
      const place = this.#placeFor(size);
      chunk.copy(place, this.#size);
    }
    this.#size = size;
  }

  /** All bytes so far; what is not used of the place is let go where it is much. */
  get bytes(): Buffer {
    const place = this.#place ?? Buffer.alloc(0);
    const bytes = place.subarray(0, this.#size);
    return place.length - this.#size > this.#size / 4 ? Buffer.from(bytes) : bytes;
  }

  #placeFor(size: number): Buffer {
    const place = this.#place;
    if (place !== undefined && place.length >= size) return place;
    const doubled = Math.max(firstBytes, 2 * (place?.length ?? 0));
    const wanted = this.#expected >= size ? Math.min(this.#expected, doubled) : doubled;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, wanted));
    place?.copy(larger, 0, 0, this.#size);
    this.#place = larger;
    return larger;
  }
}
