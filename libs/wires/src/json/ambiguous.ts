import { Failure } from "@modelgate/contracts";
import { isRecord } from "./fields.ts";
import { membersOf, memberCountOf, seekQuote } from "./members.ts";
import { turnBytes } from "./scan.ts";

/**
 * Refuses (400) an object that says one of the `relied` members twice or in another case. Parsers differ in which of
 * two they take, and some take `Model` for `model`: what the gateway checked and priced must be what the vendor reads.
 * A relied member of a member is written with a dot; two relied names that differ only in how they join their words
 * (`maxTokens`, `max_tokens`) are one member. The bytes must be a valid JSON object.
 */
export function refuseAmbiguous(bytes: Buffer, relied: readonly string[], path = ""): void {
  const names = compiled(relied);
  const seen = new Set<string>();
  for (const { name, start, end } of membersOf(bytes)) {
    const member = names.get(folded(name));
    if (member === undefined) continue;
    const { known, joined, within } = member;
    const param = path + known;
    if (name !== known)
      throw new Failure("invalid_value", `${JSON.stringify(path + name)} must be written ${param}.`, { param });
    if (seen.has(joined)) throw new Failure("invalid_value", `${param} appears more than once.`, { param });
    seen.add(joined);
    if (within.length === 0 || bytes[start] !== openBrace) continue;
    if (end - start > settingsBytes)
      throw new Failure("request_too_large", `${param} is larger than ${settingsBytes} bytes.`, { param });
    refuseAmbiguous(bytes.subarray(start, end), within, `${param}.`);
  }
}

/** A member that is relied on, as it must be written. */
interface ReliedMember {
  readonly known: string;
  /** Its name however its words are joined. */
  readonly joined: string;
  readonly within: readonly string[];
}

/** The members of each list of relied names, by their folded names: a wire's list is the same for all its calls. */
const compiledLists = new WeakMap<readonly string[], ReadonlyMap<string, ReliedMember>>();

function compiled(relied: readonly string[]): ReadonlyMap<string, ReliedMember> {
  const known = compiledLists.get(relied);
  if (known !== undefined) return known;
  const members = new Map<string, ReliedMember>();
  for (const name of relied) {
    if (name.includes(".")) continue;
    const within = relied.flatMap((each) => (each.startsWith(`${name}.`) ? [each.slice(name.length + 1)] : []));
    members.set(folded(name), { known: name, joined: folded(name).replaceAll("_", ""), within });
  }
  compiledLists.set(relied, members);
  return members;
}

/** Largest object with relied members: it is looked through and parsed at once, several times. */
const settingsBytes = 1024 * 1024;

const openBrace = 0x7b;

/** Names in both ways of joining their words: `maxTokens` and `max_tokens`. */
export function inBothSpellings(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === name ? [name] : [name, snake];
  });
}

/** Without case, as the widest of parsers compares: both ways, since some letters (the Kelvin sign, the long s) fold only one way. */
function folded(name: string): string {
  return name.toLowerCase().toUpperCase();
}

const longestShown = 200;

/** Number of values of a document that are counted in one step. */
const valueTurn = 10_000;

const [quote, colon, comma, openObject, closeObject, openArray, closeArray] = Buffer.from('":,{}[]');

/**
 * Refuses (400) a document in which any object has a member twice, and names the member. Parsers differ in which of the
 * two they take, so what was checked and priced need not be what the vendor reads. A document without duplicates has as
 * many members as its parsed value; only where the counts differ are the bytes searched.
 * @param value what JSON.parse gives for the bytes
 */
export function refuseTwice(bytes: Buffer, value: unknown): void {
  const work = refuseTwiceInTurns(bytes, value);
  while (work.next().done !== true);
}

/** The same in steps of about a millisecond. */
export function* refuseTwiceInTurns(bytes: Buffer, value: unknown): Generator<undefined, void> {
  if ((yield* countMembers(value)) !== memberCountOf(bytes)) yield* refuseFirst(bytes);
}

function* countMembers(value: unknown): Generator<undefined, number> {
  const open: unknown[] = [value];
  let members = 0;
  let untilTurn = valueTurn;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (isContainer(item)) open.push(item);
      untilTurn -= next.length;
    } else if (isRecord(next)) {
      // Of a large object the names alone take as long as a turn, and Object.values several times as long.
      const names = Object.keys(next);
      members += names.length;
      for (let at = 0; at < names.length; at++) {
        const member = next[names[at] ?? ""];
        if (isContainer(member)) open.push(member);
        if (at % valueTurn === valueTurn - 1) yield;
      }
      untilTurn -= names.length;
    }
    if (untilTurn > 0) continue;
    untilTurn = valueTurn;
    yield;
  }
  return members;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function* refuseFirst(bytes: Buffer): Generator<undefined, void> {
  // The names of each open object; undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let expectsName = false;
  let turnEnds = turnBytes;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const start = at;
      at = seekQuote(bytes, start + 1, turnEnds);
      for (; at >= turnEnds && at < bytes.length; at = seekQuote(bytes, at, turnEnds)) {
        turnEnds = at + turnBytes;
        yield;
      }
      if (expectsName) note(open.at(-1), String(JSON.parse(bytes.toString("utf8", start, at + 1))));
      expectsName = false;
    } else if (byte === openObject) {
      open.push(new Set());
      expectsName = true;
    } else if (byte === openArray) {
      open.push(undefined);
      expectsName = false;
    } else if (byte === closeObject || byte === closeArray) {
      open.pop();
      expectsName = false;
    } else if (byte === comma) expectsName = open.at(-1) !== undefined;
    else if (byte === colon) expectsName = false;
    if (at < turnEnds) continue;
    turnEnds = at + turnBytes;
    yield;
  }
}

function note(names: Set<string> | undefined, name: string): void {
  if (names?.has(name) === true) {
    const param = name.slice(0, longestShown);
    throw new Failure("invalid_value", `${JSON.stringify(param)} appears more than once.`, { param });
  }
  names?.add(name);
}
