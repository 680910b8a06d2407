/** Samples in blocks of one size, as codecs take them; the last one is as long as what is left. */
export function* inBlocks(pieces: Iterable<Int16Array>, size: number): Generator<Int16Array> {
  let block = new Int16Array(size);
  let filled = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + size - filled);
      block.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < size) continue;
      yield block;
      block = new Int16Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
