import { Failure } from "@modelgate/contracts";
import { isRecord, parseJson } from "./fields.ts";
import { membersOf, countMembers, seekQuote } from "./members.ts";
import { runToEnd, maxStepBytes, type JsonBounds } from "./scan.ts";

/**
 * Parses a document that is small, valid, within its bounds and free of duplicate members. Returns undefined for any
 * other document.
 */
export function parsePlain(bytes: Buffer, bounds: JsonBounds): unknown {
  if (bytes.length > maxStepBytes) return undefined;
  const root = parseJson(bytes.toString());
  if (root === undefined) return undefined;
  const { depth, values, members } = runToEnd(countValues(root));
  if (depth > bounds.depth || values > bounds.values || members > bounds.members) return undefined;
  const { topMembers = Infinity } = bounds;
  if (members > topMembers && Object.keys(root ?? {}).length > topMembers) return undefined;
  return members === countMembers(bytes) ? root : undefined;
}

/**
 * Refuses (400) an object with a duplicate or similarly spelled member of `inspectedMembers`. The vendor's parser could
 * read another of these members than the one that the gateway has checked and priced. A dot in a name separates the
 * names of a nested member. The bytes must be a valid JSON object.
 */
export function refuseAmbiguous(bytes: Buffer, inspectedMembers: readonly string[], path = ""): void {
  const names = membersByFoldedName(inspectedMembers);
  const foundMembers = new Set<string>();
  for (const { name, start, end } of membersOf(bytes)) {
    const member = names.get(name) ?? names.get(foldCase(name));
    if (member === undefined) continue;
    const { name: memberName, joined, within } = member;
    const param = path + memberName;
    if (name !== memberName)
      throw new Failure("invalid_value", `${JSON.stringify(path + name)} must be written ${param}.`, { param });
    if (foundMembers.has(joined)) throw new Failure("invalid_value", `${param} appears more than once.`, { param });
    foundMembers.add(joined);
    if (within.length === 0 || bytes[start] !== openBrace) continue;
    if (end - start > maxParsedObjectBytes)
      throw new Failure("request_too_large", `${param} is larger than ${maxParsedObjectBytes} bytes.`, { param });
    refuseAmbiguous(bytes.subarray(start, end), within, `${param}.`);
  }
}

interface KnownMember {
  readonly name: string;
  /** Name without case and underscores. */
  readonly joined: string;
  readonly within: readonly string[];
}

const memberMapCache = new WeakMap<readonly string[], ReadonlyMap<string, KnownMember>>();

function membersByFoldedName(names: readonly string[]): ReadonlyMap<string, KnownMember> {
  const cached = memberMapCache.get(names);
  if (cached !== undefined) return cached;
  const members = new Map<string, KnownMember>();
  for (const name of names) {
    if (name.includes(".")) continue;
    const within = names.flatMap((each) => (each.startsWith(`${name}.`) ? [each.slice(name.length + 1)] : []));
    const member = { name, joined: foldCase(name).replaceAll("_", ""), within };
    members.set(name, member).set(foldCase(name), member);
  }
  memberMapCache.set(names, members);
  return members;
}

/** Maximum bytes of an object that is parsed several times in one step. */
const maxParsedObjectBytes = 1024 * 1024;

const openBrace = 0x7b;

export function inBothSpellings(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === name ? [name] : [name, snake];
  });
}

/**
 * Folds upper and lower case, in both directions, because some letters (Kelvin sign, long s) fold in only one of them.
 */
function foldCase(name: string): string {
  return name.toLowerCase().toUpperCase();
}

const maxShownCharacters = 200;

const valuesPerStep = 10_000;

const [quote, colon, comma, openObject, closeObject, openArray, closeArray] = Buffer.from('":,{}[]');

/**
 * Refuses (400) a document with a duplicate member. The vendor might read another of the duplicates than the one that
 * was checked and priced. The bytes are searched only if they contain more members than `value`, the result of
 * JSON.parse. Yields about every millisecond, so that other calls can proceed.
 */
export function* refuseDuplicatesInTurns(bytes: Buffer, value: unknown): Generator<undefined, void> {
  if ((yield* countValues(value)).members !== countMembers(bytes)) yield* refuseFirstDuplicate(bytes);
}

/** Counts the depth, values and members as `JsonScanner` does. */
function* countValues(root: unknown): Generator<undefined, Pick<JsonBounds, "depth" | "values" | "members">> {
  let [depth, values, members, untilTurn, levelEnd] = [0, 1, 0, valuesPerStep, 0];
  const containers: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let next = 0; next < containers.length; next++) {
    if (next === levelEnd) {
      depth++;
      levelEnd = containers.length;
    }
    const value = containers[next];
    // For a large object, Object.values takes several times as long as Object.keys.
    const names = isRecord(value) ? Object.keys(value) : [];
    const items: readonly unknown[] = Array.isArray(value) ? value : names;
    for (let at = 0; at < items.length; at++) {
      const item = isRecord(value) ? value[names[at] ?? ""] : items[at];
      if (typeof item === "object" && item !== null) containers.push(item);
      if (--untilTurn > 0) continue;
      untilTurn = valuesPerStep;
      yield;
    }
    members += names.length;
    values += Math.max(1, items.length);
  }
  return { depth, values, members };
}

function* refuseFirstDuplicate(bytes: Buffer): Generator<undefined, void> {
  // Names in each open object; undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let expectsName = false;
  let turnEnds = maxStepBytes;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) {
      const start = index;
      index = seekQuote(bytes, start + 1, turnEnds);
      for (; index >= turnEnds && index < bytes.length; index = seekQuote(bytes, index, turnEnds)) {
        turnEnds = index + maxStepBytes;
        yield;
      }
      if (expectsName) addName(open.at(-1), String(JSON.parse(bytes.toString("utf8", start, index + 1))));
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
    if (index < turnEnds) continue;
    turnEnds = index + maxStepBytes;
    yield;
  }
}

function addName(names: Set<string> | undefined, name: string): void {
  if (names?.has(name) === true) {
    const param = name.slice(0, maxShownCharacters);
    throw new Failure("invalid_value", `${JSON.stringify(param)} appears more than once.`, { param });
  }
  names?.add(name);
}
