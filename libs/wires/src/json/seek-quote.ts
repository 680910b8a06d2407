const [quote, backslash] = [0x22, 0x5c];

/** Plain bytes of a string after which the search for its end is left to a faster one, whose call costs as much as these. */
const longRun = 64;
/** Bytes that the faster search looks through at once. */
const searchedBytes = 256 * 1024;

/**
 * Looks for the quote that closes a string, from a byte within it that no backslash escapes. Gives the quote's index
 * where it stands before `until`; else where to go on, at `until` or beyond. Strings full of escapes and strings without
 * any take the same time: about a millisecond a megabyte at worst.
 */
export function seekQuote(bytes: Uint8Array, from: number, until: number): number {
  let plain = 0;
  let at = from;
  for (; at < until; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) {
      at++;
      plain = 0;
    } else if (++plain === longRun) {
      plain = 0;
      at = skipPlain(bytes, at + 1) - 1;
    }
  }
  return at;
}

/** The next quote, or the first of the backslashes before it; in a large document, no further than one search goes. */
function skipPlain(bytes: Uint8Array, from: number): number {
  const searched = bytes.length - from > searchedBytes ? bytes.subarray(0, from + searchedBytes) : bytes;
  const found = searched.indexOf(quote, from);
  let first = found < 0 ? searched.length : found;
  while (first > from && searched[first - 1] === backslash) first--;
  return first;
}
