import { refuseAmbiguous } from "./ambiguous.ts";
import { membersOf } from "./members.ts";

/** Place of a value in the bytes of its document: its first byte, and the byte after its last. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the value at a path of members; undefined where the document has none. Of duplicate members the last counts, as
 * for a parser. The bytes must be a valid JSON object.
 */
export function rangeOf(bytes: Buffer, path: readonly string[]): ByteRange | undefined {
  let range: ByteRange = { start: 0, end: bytes.length };
  for (const name of path) {
    const object = bytes.subarray(range.start, range.end);
    if (!isObject(object)) return undefined;
    const found = membersOf(object).findLast((member) => member.name === name);
    if (found === undefined) return undefined;
    range = { start: range.start + found.start, end: range.start + found.end };
  }
  return range;
}

/** Refuses (400) a document in which a member of the path is ambiguous (`refuseAmbiguous`), as far as it goes. */
export function refuseAmbiguousPath(bytes: Buffer, path: readonly string[]): void {
  for (const [depth, name] of path.entries()) {
    const range = rangeOf(bytes, path.slice(0, depth));
    const object = range && bytes.subarray(range.start, range.end);
    if (object === undefined || !isObject(object)) return;
    refuseAmbiguous(object, [name]);
  }
}

/** The document with another value (JSON text) in a range, every other byte as it came. */
export function replaceAt(bytes: Buffer, { start, end }: ByteRange, value: string): Buffer {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(value), bytes.subarray(end)]);
}

function isObject(bytes: Buffer): boolean {
  return /^\s*\{/.test(bytes.toString("latin1", 0, 64));
}
