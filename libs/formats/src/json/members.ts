export interface Member {
  readonly name: string;
  /** Index of the first byte of the quoted name. */
  readonly from: number;
  /** Index of the value's first byte. */
  readonly start: number;
  /** Index after the value's last byte. */
  readonly end: number;
}

const minCachedBytes = 64 * 1024;

const memberCache = new WeakMap<Buffer, readonly Member[]>();

export function areMembersCached(bytes: Buffer): boolean {
  return memberCache.has(bytes);
}

/** Caches members that were found in steps, for `membersOf`. */
export function cacheMembers(bytes: Buffer, members: readonly Member[]): void {
  memberCache.set(bytes, members);
}

const memberCountCache = new WeakMap<Buffer, number>();

/** Caches a large document's number of members for `countMembers`. */
export function cacheMemberCount(bytes: Buffer, count: number): void {
  if (bytes.length > minCachedBytes) memberCountCache.set(bytes, count);
}

/** Returns the number of members of all objects at any depth, including duplicates. The bytes must be valid JSON. */
export function countMembers(bytes: Buffer): number {
  const cached = memberCountCache.get(bytes);
  if (cached !== undefined) return cached;
  let count = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === 0x22) index = findClosingQuote(bytes, index);
    else if (byte === 0x3a) count++;
  }
  return count;
}

/**
 * Returns the members of a valid JSON object in order, including duplicates. Throws SyntaxError for any other value.
 */
export function membersOf(bytes: Buffer): readonly Member[] {
  const cached = memberCache.get(bytes);
  if (cached !== undefined) return cached;
  let index = skipSpace(bytes, 0);
  if (bytes[index] !== 0x7b) throw new SyntaxError("not a JSON object");
  const members: Member[] = [];
  index = skipSpace(bytes, index + 1);
  while (index < bytes.length && bytes[index] !== 0x7d) {
    const from = index;
    const nameEnd = findClosingQuote(bytes, index);
    const name = String(JSON.parse(bytes.toString("utf8", index, nameEnd + 1)));
    const start = skipSpace(bytes, skipSpace(bytes, nameEnd + 1) + 1);
    const end = endOfValue(bytes, start);
    members.push({ name, from, start, end });
    index = skipSpace(bytes, end);
    if (bytes[index] === 0x2c) index = skipSpace(bytes, index + 1);
  }
  if (bytes.length > minCachedBytes) memberCache.set(bytes, members);
  return members;
}

/** Returns a member of an object; undefined if it is absent. Of duplicates, it returns the last one. */
export function findMember(bytes: Buffer, name: string, members = membersOf(bytes)): Member | undefined {
  return members.findLast((member) => member.name === name);
}

export function parseMember(bytes: Buffer, name: string, members = membersOf(bytes)): unknown {
  const member = findMember(bytes, name, members);
  return member === undefined ? undefined : JSON.parse(bytes.toString("utf8", member.start, member.end));
}

/** Changes the JSON of a member. An absent member stays absent. */
export function changeMember(bytes: Buffer, name: string, change: (json: Buffer) => string | Buffer): Buffer {
  const member = findMember(bytes, name);
  return member === undefined
    ? bytes
    : spliceMembers(bytes, { [name]: change(bytes.subarray(member.start, member.end)) });
}

/** Returns the index of the closing quote of the string that opens at `open`, or the end of the bytes. */
export function findClosingQuote(bytes: Uint8Array, open: number): number {
  return Math.min(bytes.length, seekQuote(bytes, open + 1, bytes.length));
}

function skipSpace(bytes: Buffer, from: number): number {
  let index = from;
  while ((bytes[index] ?? Infinity) <= space) index++;
  return index;
}

/** Outside of strings, a byte is white space if it is not above this one. */
const space = 0x20;

export function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === 0x22) return findClosingQuote(bytes, start) + 1;
  if (first === 0x7b || first === 0x5b) return endOfNested(bytes, start);
  let index = start;
  for (; index < bytes.length; index++) {
    const byte = bytes[index] ?? space;
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= space) break;
  }
  return index;
}

function endOfNested(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let index = start; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === 0x22) index = findClosingQuote(bytes, index);
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return index + 1;
  }
  return bytes.length;
}

const [quote, backslash] = [0x22, 0x5c];

/**
 * Number of bytes without a quote or escape after which native `indexOf` continues the search. One call of `indexOf`
 * costs as much as the scan of these bytes.
 */
const minNativeSearchBytes = 64;

const maxBytesPerSearch = 256 * 1024;

/**
 * Finds the quote that closes a string. `from` is inside the string, and not directly after an escaping backslash.
 * Returns the quote's index. If there is no quote before `until`, returns the index at which to continue, which is at
 * least `until`.
 */
export function seekQuote(bytes: Uint8Array, from: number, until: number): number {
  let plain = 0;
  let index = from;
  for (; index < until; index++) {
    const byte = bytes[index];
    if (byte === quote) return index;
    if (byte === backslash) {
      index++;
      plain = 0;
    } else if (++plain === minNativeSearchBytes) {
      plain = 0;
      index = findQuoteOrBackslash(bytes, index + 1) - 1;
    }
  }
  return index;
}

/**
 * Returns the index of the next quote, or of the first of the backslashes directly before it. Searches at most
 * `maxBytesPerSearch` bytes.
 */
function findQuoteOrBackslash(bytes: Uint8Array, from: number): number {
  const searched = bytes.length - from > maxBytesPerSearch ? bytes.subarray(0, from + maxBytesPerSearch) : bytes;
  const position = searched.indexOf(quote, from);
  let first = position < 0 ? searched.length : position;
  while (first > from && searched[first - 1] === backslash) first--;
  return first;
}

/**
 * Replaces the values of some members by JSON text, and adds absent ones at the end. Every other byte is unchanged. All
 * duplicates of a member are replaced.
 */
export function spliceMembers(
  bytes: Buffer,
  values: Readonly<Record<string, string | Buffer>>,
  members: readonly Member[] = membersOf(bytes),
): Buffer {
  const pieces = splicePieces(bytes, values, members);
  return pieces.length === 1 ? bytes : Buffer.concat(pieces);
}

/** Returns the result of `spliceMembers` in pieces. */
export function splicePieces(
  bytes: Buffer,
  values: Readonly<Record<string, string | Buffer>>,
  members: readonly Member[],
): readonly Buffer[] {
  const pieces: Buffer[] = [];
  const missing = new Set(Object.keys(values));
  let from = 0;
  for (const { name, start, end } of members) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    missing.delete(name);
    pieces.push(bytes.subarray(from, start), toBuffer(value));
    from = end;
  }
  if (missing.size > 0) {
    const close = bytes.lastIndexOf(0x7d);
    pieces.push(bytes.subarray(from, close));
    for (const [index, name] of [...missing].entries()) {
      const comma = index > 0 || members.length > 0 ? "," : "";
      pieces.push(Buffer.from(`${comma}${JSON.stringify(name)}:`), toBuffer(values[name] ?? "null"));
    }
    from = close;
  }
  return [...pieces, bytes.subarray(from)];
}

function toBuffer(value: string | Buffer): Buffer {
  return typeof value === "string" ? Buffer.from(value) : value;
}

/** Removes all members with some names. Every other byte is unchanged. */
export function withoutMembers(bytes: Buffer, names: readonly string[]): Buffer {
  const members = membersOf(bytes);
  const remaining = members.flatMap((member, index) => (names.includes(member.name) ? [] : [{ ...member, index }]));
  const [first, last] = [members[0], members.at(-1)];
  if (remaining.length === members.length || first === undefined || last === undefined) return bytes;
  const pieces = [bytes.subarray(0, first.from)];
  for (const [position, { from, end, index }] of remaining.entries()) {
    pieces.push(bytes.subarray(from, end));
    // The separator after a member, with its spaces, is copied with it.
    if (position < remaining.length - 1) pieces.push(bytes.subarray(end, members[index + 1]?.from));
  }
  pieces.push(bytes.subarray(last.end));
  return Buffer.concat(pieces);
}
