import { Failure } from "@modelgate/contracts";
import type { ByteRange } from "./byte-range.ts";
import { isRecord } from "./fields.ts";
import { decodeLongString } from "./long-string.ts";
import {
  areMembersCached,
  cacheMemberCount,
  cacheMembers,
  findMember,
  membersOf,
  spliceMembers,
  splicePieces,
  withoutMembers,
  type Member,
} from "./members.ts";
import { joinInTurns } from "./stringify-in-turns.ts";
import { JsonScanner, maxStepBytes, type JsonBounds, type LargeContainer } from "./scan.ts";

const [quote, colon, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];

const noBounds: JsonBounds = { depth: Infinity, values: Infinity, members: Infinity };

/** Maximum bytes of a member's name in a document that is parsed in steps. */
const maxNameBytes = 64 * 1024;

/** Parses JSON within its bounds, in steps of about a millisecond. */
export function* parseInTurns(bytes: Buffer, bounds: JsonBounds): Generator<undefined, unknown> {
  const { large } = yield* scanInTurns(bytes, bounds);
  if (bytes.length <= maxStepBytes) return parseUnknown(bytes.toString());
  return yield* new LargeDocument(bytes, large).parse();
}

/** Finds and caches the members of an object of any size, in steps of about a millisecond. Never throws. */
export function* findMembersInTurns(bytes: Buffer): Generator<undefined, void> {
  if (bytes.length <= maxStepBytes || areMembersCached(bytes)) return;
  try {
    const { large } = yield* scanInTurns(bytes, noBounds);
    yield* new LargeDocument(bytes, large).rememberMembers();
  } catch {
    // The bytes are not an object; the reader that needs its members reports that.
  }
}

/** Parses a member of an object of any size in steps of about a millisecond; undefined if it is absent. */
export function* memberInTurns(bytes: Buffer, name: string): Generator<undefined, unknown> {
  yield* findMembersInTurns(bytes);
  const member = findMember(bytes, name);
  return member === undefined ? undefined : yield* parseInTurns(bytes.subarray(member.start, member.end), noBounds);
}

/** Does the same as `spliceMembers`, but in steps of about a millisecond if the object is large. */
export function* spliceInTurns(
  bytes: Buffer,
  values: Readonly<Record<string, string | Buffer>>,
  members?: readonly Member[],
): Generator<undefined, Buffer> {
  if (bytes.length <= maxStepBytes) return spliceMembers(bytes, values, members);
  if (members === undefined) yield* findMembersInTurns(bytes);
  const pieces = splicePieces(bytes, values, members ?? membersOf(bytes));
  return pieces.length === 1 ? bytes : yield* joinInTurns(pieces);
}

/** Replaces and adds members, and then removes others, in steps of about a millisecond if the object is large. */
export function* changeInTurns(
  bytes: Buffer,
  values: Readonly<Record<string, string>>,
  removed: readonly string[],
  members?: readonly Member[],
): Generator<undefined, Buffer> {
  const spliced = Object.keys(values).length === 0 ? bytes : yield* spliceInTurns(bytes, values, members);
  if (removed.length === 0) return spliced;
  yield* findMembersInTurns(spliced);
  return withoutMembers(spliced, removed);
}

/** Scans JSON to its end in steps of about a millisecond. Throws the failures of `JsonScanner`. */
export function* scanInTurns(bytes: Buffer, bounds: JsonBounds): Generator<undefined, JsonScanner> {
  const scanner = new JsonScanner(bytes, bounds);
  while (!scanner.scan(maxStepBytes)) yield;
  cacheMemberCount(bytes, scanner.members);
  return scanner;
}

class LargeDocument {
  readonly #bytes: Buffer;
  readonly #large: ReadonlyMap<number, LargeContainer>;

  constructor(bytes: Buffer, large: ReadonlyMap<number, LargeContainer>) {
    this.#bytes = bytes;
    this.#large = large;
  }

  *parse(): Generator<undefined, unknown> {
    const region = yield* this.#trim({ start: 0, end: this.#bytes.length });
    yield* this.#rememberMembers(region);
    return yield* this.#value(region);
  }

  *rememberMembers(): Generator<undefined, void> {
    yield* this.#rememberMembers(yield* this.#trim({ start: 0, end: this.#bytes.length }));
  }

  *#rememberMembers({ start, end }: ByteRange): Generator<undefined, void> {
    if (this.#bytes[start] !== openBrace) return;
    const container = this.#large.get(start);
    if (container?.end === end) cacheMembers(this.#bytes, yield* this.#members(container));
    else if (end - start <= maxStepBytes) {
      // The object is small, but surrounded by spaces.
      const members = membersOf(this.#bytes.subarray(start, end));
      const moved = members.map(({ name, ...range }) => ({
        name,
        from: range.from + start,
        start: range.start + start,
        end: range.end + start,
      }));
      cacheMembers(this.#bytes, moved);
    }
  }

  /** Parses a value, which must have no spaces around it. */
  *#value({ start, end }: ByteRange): Generator<undefined, unknown> {
    if (end - start <= maxStepBytes) return parseUnknown(this.#bytes.toString("utf8", start, end));
    if (this.#bytes[start] === quote) return yield* decodeLongString(this.#bytes, start, end);
    const container = this.#large.get(start);
    if (container?.end !== end) throw new SyntaxError("no JSON value");
    const [first, last] = [this.#bytes[start], this.#bytes[end - 1]];
    if (first === openBracket && last === closeBracket) return yield* this.#array(container);
    if (first === openBrace && last === closeBrace) return yield* this.#object(container);
    throw new SyntaxError("brackets of two kinds");
  }

  *#array(container: LargeContainer): Generator<undefined, unknown[]> {
    const values: unknown[] = [];
    for (const { region, count } of itemBatches(container)) {
      if (isSmall(region)) {
        const parsed = parseUnknown(`[${this.#bytes.toString("utf8", region.start, region.end)}]`);
        if (!Array.isArray(parsed) || parsed.length !== count) throw new SyntaxError("an item is missing");
        for (const value of parsed) values.push(value);
      } else {
        const item = yield* this.#trim(region);
        if (isEmpty(item, container)) return [];
        values.push(yield* this.#value(item));
      }
      yield;
    }
    return values;
  }

  *#object(container: LargeContainer): Generator<undefined, object> {
    const object: Record<string, unknown> = {};
    for (const { region } of itemBatches(container)) {
      if (isSmall(region)) {
        const parsed = parseUnknown(`{${this.#bytes.toString("utf8", region.start, region.end)}}`);
        if (!isRecord(parsed)) throw new SyntaxError("not a JSON object");
        const names = Object.keys(parsed);
        if (names.length === 0) throw new SyntaxError("a member is missing");
        for (const name of names) setMember(object, name, parsed[name]);
      } else {
        const item = yield* this.#trim(region);
        if (isEmpty(item, container)) return object;
        const { name, start, end } = yield* this.#member(item);
        setMember(object, name, yield* this.#value({ start, end }));
      }
      yield;
    }
    return object;
  }

  *#members(container: LargeContainer): Generator<undefined, readonly Member[]> {
    const members: Member[] = [];
    for (const region of itemRegions(container)) {
      const item = yield* this.#trim(region);
      if (isEmpty(item, container)) return [];
      members.push(yield* this.#member(item));
      if (members.length % membersPerStep === 0) yield;
    }
    return members;
  }

  *#member({ start, end }: ByteRange): Generator<undefined, Member> {
    const afterName = this.#endOfName(start, end);
    const name: unknown = JSON.parse(this.#bytes.toString("utf8", start, afterName));
    const rest = yield* this.#trim({ start: afterName, end });
    if (typeof name !== "string" || this.#bytes[rest.start] !== colon) throw new SyntaxError("a member has no value");
    const value = yield* this.#trim({ start: rest.start + 1, end });
    return { name, from: start, ...value };
  }

  #endOfName(start: number, end: number): number {
    if (this.#bytes[start] !== quote) throw new SyntaxError("a member has no name");
    const nameEnd = Math.min(end, start + maxNameBytes);
    for (let index = start + 1; index < nameEnd; index++) {
      if (this.#bytes[index] === 0x5c) index++;
      else if (this.#bytes[index] === quote) return index + 1;
    }
    throw new Failure("request_too_large", `The body has a member with a name longer than ${maxNameBytes} bytes.`);
  }

  *#trim(region: ByteRange): Generator<undefined, ByteRange> {
    let { start, end } = region;
    for (; start < end && isSpace(this.#bytes[start]); start++) if (start % maxStepBytes === 0) yield;
    for (; end > start && isSpace(this.#bytes[end - 1]); end--) if (end % maxStepBytes === 0) yield;
    return { start, end };
  }
}

const membersPerStep = 1_000;

/** Yields the items of a container, including the spaces around them. An empty container yields one blank item. */
function* itemRegions({ start, end, commas }: LargeContainer): Generator<ByteRange> {
  let from = start + 1;
  for (const comma of commas) {
    yield { start: from, end: comma };
    from = comma + 1;
  }
  yield { start: from, end: end - 1 };
}

/** Maximum bytes of adjacent items that are parsed together. A string may take two bytes per character in memory. */
const maxBatchBytes = maxStepBytes / 2;

/** Yields groups of adjacent items that are parsed together. A large item is alone. */
function* itemBatches(container: LargeContainer): Generator<{ readonly region: ByteRange; readonly count: number }> {
  let batch: ByteRange | undefined;
  let count = 0;
  for (const item of itemRegions(container)) {
    if (batch !== undefined && item.end - batch.start <= maxBatchBytes) {
      batch = { start: batch.start, end: item.end };
      count++;
    } else {
      if (batch !== undefined) yield { region: batch, count };
      batch = item;
      count = 1;
    }
  }
  if (batch !== undefined) yield { region: batch, count };
}

function isSmall({ start, end }: ByteRange): boolean {
  return end - start <= maxStepBytes;
}

/** Returns true for a blank item that is alone in its container. Throws SyntaxError for a blank item among others. */
function isEmpty({ start, end }: ByteRange, { commas }: LargeContainer): boolean {
  if (start < end) return false;
  if (commas.length === 0) return true;
  throw new SyntaxError("an item is missing");
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Sets a member as JSON.parse does: `__proto__` is a name like any other. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  else object[name] = value;
}

function parseUnknown(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}
