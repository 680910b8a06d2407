import { membersOf } from "./members.ts";

/**
 * The same JSON object without some members, also where one stands there twice; every other byte stays as it came.
 * The bytes must be a valid JSON object.
 */
export function withoutMembers(bytes: Buffer, names: readonly string[]): Buffer {
  const members = membersOf(bytes);
  const kept = members.flatMap((member, index) => (names.includes(member.name) ? [] : [{ ...member, index }]));
  const [first, last] = [members[0], members.at(-1)];
  if (kept.length === members.length || first === undefined || last === undefined) return bytes;
  const pieces = [bytes.subarray(0, first.from)];
  for (const [at, { from, end, index }] of kept.entries()) {
    pieces.push(bytes.subarray(from, end));
    // The comma, and the space around it, as they stand behind this member.
    if (at < kept.length - 1) pieces.push(bytes.subarray(end, members[index + 1]?.from));
  }
  pieces.push(bytes.subarray(last.end));
  return Buffer.concat(pieces);
}
