import { maxStepBytes } from "./scan.ts";

const quote = 0x22;
const backslash = 0x5c;
/** Lengths of a short escape such as `\n`, and of a long one such as `\u0041`, in bytes. */
const [shortEscape, longEscape] = [2, 6];
const maxContinuationBytes = 3;

/** Decodes a JSON string of any size in steps. Throws SyntaxError if it is invalid. */
export function* decodeLongString(bytes: Buffer, start: number, end: number): Generator<undefined, string> {
  if (end - start < 2 || bytes[start] !== quote || bytes[end - 1] !== quote) throw new SyntaxError("no JSON string");
  const { cuts, isPlain } = yield* cutString(bytes, start + 1, end - 1);
  if (isPlain) return bytes.toString("latin1", start + 1, end - 1);
  const pieces: string[] = [];
  for (const [index, to] of cuts.entries()) {
    const from = cuts[index - 1] ?? start + 1;
    // JSON.parse handles escapes, and refuses characters that a string must not contain.
    const piece: unknown = JSON.parse(`"${bytes.toString("utf8", from, to)}"`);
    if (typeof piece === "string") pieces.push(piece);
    yield;
  }
  return pieces.join("");
}

/**
 * Cuts a string into pieces, never inside an escape or character. `isPlain` is true if all are ASCII without escapes.
 */
function* cutString(bytes: Buffer, start: number, end: number) {
  const cuts: number[] = [];
  let isPlain = true;
  for (let from = start; from < end; yield) {
    if (isPlainAscii(bytes, from, from + maxStepBytes, end)) from += maxStepBytes;
    else {
      const piece = endOfPiece(bytes, from, end);
      from = piece.end;
      isPlain &&= piece.isPlain;
    }
    cuts.push(from);
  }
  return { cuts, isPlain };
}

/**
 * Finds the end of the next piece byte by byte, and whether the piece is ASCII without escapes. Throws SyntaxError for a
 * quote, a control character or an incomplete escape.
 */
function endOfPiece(bytes: Buffer, start: number, end: number): { readonly end: number; readonly isPlain: boolean } {
  let isPlain = true;
  let index = start;
  while (index < end && !isCut(bytes[index] ?? 0, index - start)) {
    const byte = bytes[index] ?? 0;
    if (byte === quote || byte < 0x20)
      throw new SyntaxError("a JSON string ends too early, or has a control character");
    if (byte >= 0x80 || byte === backslash) isPlain = false;
    index += byte !== backslash ? 1 : bytes[index + 1] === 0x75 ? longEscape : shortEscape;
  }
  if (index > end) throw new SyntaxError("a JSON string ends in an escape");
  return { end: index, isPlain };
}

/** Returns whether a piece of `size` bytes must end before this byte. Avoids a cut inside a character. */
function isCut(byte: number, size: number): boolean {
  const continues = byte >= 0x80 && byte < 0xc0;
  return size >= maxStepBytes && (!continues || size > maxStepBytes + maxContinuationBytes);
}

const [signs, spaces, quotes, backslashes, ones] = [0x80808080, 0x20202020, 0x22222222, 0x5c5c5c5c, 0x01010101];

/** Checks for ASCII without escapes, four bytes at a time, because large strings are usually Base64. */
function isPlainAscii(bytes: Buffer, start: number, to: number, end: number): boolean {
  if (to >= end) return false;
  const aligned = start + ((4 - ((bytes.byteOffset + start) % 4)) % 4);
  const integers = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, Math.floor((to - aligned) / 4));
  let mask = 0;
  for (let index = 0; index < integers.length; index++) {
    const integer = integers[index] ?? 0;
    const asQuote = integer ^ quotes;
    const asBackslash = integer ^ backslashes;
    // Each term sets the sign bit of a byte that is not ASCII, below a space, a quote, or a backslash.
    mask |=
      integer | ((integer - spaces) & ~integer) | ((asQuote - ones) & ~asQuote) | ((asBackslash - ones) & ~asBackslash);
  }
  if ((mask & signs) !== 0) return false;
  const rest = [...bytes.subarray(start, aligned), ...bytes.subarray(aligned + 4 * integers.length, to)];
  return rest.every((byte) => byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== backslash);
}

/** Renders a string of any size as JSON in steps. Returns its pieces, with quotes. */
export function* encodeLongString(text: string): Generator<undefined, readonly Buffer[]> {
  const pieces = [Buffer.from('"')];
  for (let index = 0; index < text.length;) {
    const end = isInsidePair(text, index + maxStepBytes) ? index + maxStepBytes - 1 : index + maxStepBytes;
    pieces.push(Buffer.from(JSON.stringify(text.slice(index, end)).slice(1, -1)));
    index = end;
    yield;
  }
  pieces.push(Buffer.from('"'));
  return pieces;
}

function isInsidePair(text: string, index: number): boolean {
  const [before, after] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
