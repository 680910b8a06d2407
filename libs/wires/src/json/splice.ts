import { membersOf, type Member } from "./members.ts";

/**
 * The same JSON object with some members' values replaced, and those that were absent added at its end; every other
 * byte stays as it came: key order, spacing, numbers beyond 2^53, escapes. Values are JSON text. A duplicated
 * member is replaced everywhere, since parsers differ in which one they take. `members` are those of `bytes`, where
 * the caller has them already.
 */
export function spliceMembers(
  bytes: Buffer,
  values: Readonly<Record<string, string | Buffer>>,
  members: readonly Member[] = membersOf(bytes),
): Buffer {
  const pieces: Buffer[] = [];
  const missing = new Set(Object.keys(values));
  let from = 0;
  for (const { name, start, end } of members) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    missing.delete(name);
    pieces.push(bytes.subarray(from, start), bytesOf(value));
    from = end;
  }
  if (missing.size > 0) {
    const close = bytes.lastIndexOf(0x7d);
    pieces.push(bytes.subarray(from, close));
    for (const [index, name] of [...missing].entries()) {
      const comma = index > 0 || members.length > 0 ? "," : "";
      pieces.push(Buffer.from(`${comma}${JSON.stringify(name)}:`), bytesOf(values[name] ?? "null"));
    }
    from = close;
  }
  return pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

function bytesOf(value: string | Buffer): Buffer {
  return typeof value === "string" ? Buffer.from(value) : value;
}
