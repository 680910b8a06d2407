import { endOfString } from "./depth.ts";

/** A member of a JSON object, by where it stands in the bytes. */
export interface Member {
  readonly name: string;
  /** First byte of the value, and the byte after its last. */
  readonly start: number;
  readonly end: number;
}

/**
 * The members of the object that is the whole of `bytes`, in their order, duplicates included. The bytes must be
 * valid JSON (parse them first); throws SyntaxError where they are no object.
 */
export function membersOf(bytes: Buffer): readonly Member[] {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== 0x7b) throw new SyntaxError("not a JSON object");
  const members: Member[] = [];
  at = skipSpace(bytes, at + 1);
  while (at < bytes.length && bytes[at] !== 0x7d) {
    const nameEnd = endOfString(bytes, at);
    const name: string = JSON.parse(bytes.toString("utf8", at, nameEnd + 1));
    const start = skipSpace(bytes, skipSpace(bytes, nameEnd + 1) + 1);
    const end = endOfValue(bytes, start);
    members.push({ name, start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
  }
  return members;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The byte after a value that begins at `start`. */
export function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === 0x22) return endOfString(bytes, start) + 1;
  return first === 0x7b || first === 0x5b ? endOfNested(bytes, start) : endOfScalar(bytes, start);
}

/** The byte after the bracket that closes the object or array at `start`. */
function endOfNested(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

/** The byte after a number or a word. */
function endOfScalar(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || isSpace(byte)) return at;
  }
  return bytes.length;
}
