import { refuseAmbiguous } from "./ambiguous.ts";
import { findMember } from "./members.ts";

/** Position of a value: its first byte, and the byte after its last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Finds the value at a path in a JSON object. Of duplicate members, it uses the last one, as JSON.parse does. */
export function findValueRange(bytes: Buffer, path: readonly string[]): ByteRange | undefined {
  let range: ByteRange = { start: 0, end: bytes.length };
  for (const name of path) {
    const object = bytes.subarray(range.start, range.end);
    if (!isObject(object)) return undefined;
    const last = findMember(object, name);
    if (last === undefined) return undefined;
    range = { start: range.start + last.start, end: range.start + last.end };
  }
  return range;
}

/** Refuses (400) a document with an ambiguous member (`refuseAmbiguous`) on a path. */
export function refuseAmbiguousPath(bytes: Buffer, path: readonly string[]): void {
  for (const [depth, name] of path.entries()) {
    const range = findValueRange(bytes, path.slice(0, depth));
    const object = range && bytes.subarray(range.start, range.end);
    if (object === undefined || !isObject(object)) return;
    refuseAmbiguous(object, [name]);
  }
}

/** Replaces the value in a range by JSON text. */
export function replaceRange(bytes: Buffer, { start, end }: ByteRange, value: string): Buffer {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(value), bytes.subarray(end)]);
}

function isObject(bytes: Buffer): boolean {
  return /^\s*\{/.test(bytes.toString("latin1", 0, 64));
}
