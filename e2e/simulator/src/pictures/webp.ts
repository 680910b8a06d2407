/** Writes numbers with the least significant bit first, as lossless WebP requires. */
class BitWriter {
  readonly #bytes: number[] = [];
  #bits = 0;

  write(value: number, bits: number): void {
    for (let at = 0; at < bits; at++, this.#bits++) {
      if (this.#bits % 8 === 0) this.#bytes.push(0);
      const last = this.#bytes.length - 1;
      this.#bytes[last] = (this.#bytes[last] ?? 0) | (((value >> at) & 1) << (this.#bits % 8));
    }
  }

  get bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

const signature = 0x2f;
const sideBits = 14;
const opaqueAlpha = 255;

/** Creates a lossless WebP of one colour. Pixels take no bits, because each prefix code has a single symbol. */
export function webpOf(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const bits = new BitWriter();
  bits.write(signature, 8);
  bits.write(width - 1, sideBits);
  bits.write(height - 1, sideBits);
  bits.write(0, 1); // no alpha
  bits.write(0, 3); // version
  bits.write(0, 3); // no transform, no colour cache, one group of codes
  for (const symbol of [green, red, blue, opaqueAlpha]) {
    bits.write(1, 1); // a simple prefix code
    bits.write(0, 1); // with one symbol
    bits.write(1, 1); // of eight bits
    bits.write(symbol, 8);
  }
  bits.write(0b0001, 4); // distances: a simple code of one symbol of one bit, 0
  const data = bits.bytes.length % 2 === 0 ? bits.bytes : Buffer.concat([bits.bytes, Buffer.from([0])]);
  return Buffer.concat([
    Buffer.from("RIFF"),
    littleEndian(data.length + 12),
    Buffer.from("WEBPVP8L"),
    littleEndian(bits.bytes.length),
    data,
  ]);
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
