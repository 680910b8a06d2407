/** Writes bits, and the codes of H.264. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #free = 8;

  /** Writes `count` bits, most significant bit first. */
  bits(value: number, count: number): this {
    for (let at = count - 1; at >= 0; at--) {
      this.#current |= ((value >> at) & 1) << --this.#free;
      if (this.#free > 0) continue;
      this.#bytes.push(this.#current);
      [this.#current, this.#free] = [0, 8];
    }
    return this;
  }

  /** Writes unsigned Exponential-Golomb codes. */
  codes(...values: readonly number[]): this {
    for (const value of values) {
      const length = 32 - Math.clz32(value + 1);
      this.bits(0, length - 1).bits(value + 1, length);
    }
    return this;
  }

  /** Writes zeros up to the next byte. */
  align(): this {
    return this.#free === 8 ? this : this.bits(0, this.#free);
  }

  /** Writes bytes at a byte boundary. */
  bytes(values: Iterable<number>): this {
    for (const value of values) this.#bytes.push(value);
    return this;
  }

  end(): Buffer {
    this.bits(1, 1).align();
    return Buffer.from(this.#bytes);
  }
}
