const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether JSON bytes nest deeper than `limit`; a body of 100,000 brackets is refused before a parser's stack or
 * anybody's recursion sees it. One pass, no allocation; what is no JSON is the parser's to say.
 */
export function nestsDeeper(bytes: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

/** Index of the closing quote of the string that opens at `open`, or the end of the bytes. */
export function endOfString(bytes: Uint8Array, open: number): number {
  let at = open + 1;
  for (;;) {
    const end = bytes.indexOf(quote, at);
    if (end < 0) return bytes.length;
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    at = end + 1;
  }
}
