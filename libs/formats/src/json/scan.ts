import { Failure } from "@modelgate/contracts";
import { seekQuote } from "./members.ts";

export interface JsonBounds {
  readonly depth: number;
  /** Maximum number of values at any depth: items of arrays, members of objects, and their containers. */
  readonly values: number;
  readonly members: number;
  /** Maximum number of members of the top-level object; default: `members`. */
  readonly topMembers?: number;
}

/** An object or array that is too large to be parsed in one step. */
export interface LargeContainer {
  readonly start: number;
  readonly end: number;
  readonly commas: readonly number[];
}

/**
 * Maximum bytes of JSON that are parsed in one step. V8 allocates separate pages for a string of 128 KiB or more, which
 * makes a megabyte of such strings three times as expensive.
 */
export const maxStepBytes = 112 * 1024;

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Checks the bounds of JSON bytes before they are parsed. In a document of more than `maxStepBytes`, it also finds the
 * large containers, and refuses unbalanced brackets and an unclosed string. The parser finds all other errors.
 */
export class JsonScanner {
  readonly large = new Map<number, LargeContainer>();
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  readonly #isLarge: boolean;
  readonly #starts: number[] = [];
  /** Number of commas found before each open container. */
  readonly #bases: number[] = [];
  readonly #commas: number[] = [];
  #at = 0;
  #inString = false;
  #values = 1;
  #members = 0;
  #topMembers = 0;

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
    this.#isLarge = bytes.length > maxStepBytes;
  }

  /** Scans about `count` further bytes. Returns true at the end. Throws Failure if a bound is exceeded. */
  scan(count: number): boolean {
    const bytes = this.#bytes;
    const until = Math.min(bytes.length, this.#at + count);
    let index = this.#inString ? this.#stringFrom(this.#at, until) : this.#at;
    for (; index < until; index++) {
      const byte = bytes[index] ?? 0;
      if (byte === quote) {
        this.#inString = true;
        index = this.#stringFrom(index + 1, until) - 1;
      } else if (byte === comma || byte === colon || byte >= openBracket) this.#see(byte, index);
    }
    this.#at = index;
    if (index < bytes.length) return false;
    if (this.#isLarge && (this.#starts.length > 0 || this.#inString)) throw invalidJson();
    return true;
  }

  get values(): number {
    return this.#values;
  }

  /** Number of members so far, with duplicates. */
  get members(): number {
    return this.#members;
  }

  #see(byte: number, index: number): void {
    if (byte === comma) {
      if (++this.#values > this.#bounds.values) throw tooMany("values", this.#bounds.values);
      if (this.#isLarge) this.#commas.push(index);
    } else if (byte === colon) {
      if (++this.#members > this.#bounds.members) throw tooMany("members of objects", this.#bounds.members);
      const { topMembers = Infinity } = this.#bounds;
      if (this.#starts.length === 1 && ++this.#topMembers > topMembers) throw tooMany("members at its top", topMembers);
    } else if (byte === openBrace || byte === openBracket) this.#open(index);
    else if (byte === closeBrace || byte === closeBracket) this.#close(index);
  }

  /** Returns the index after the closing quote, or the index at which to continue (see `seekQuote`). */
  #stringFrom(from: number, until: number): number {
    const index = seekQuote(this.#bytes, from, until);
    if (index >= until) return index;
    this.#inString = false;
    return index + 1;
  }

  #open(index: number): void {
    if (++this.#values > this.#bounds.values) throw tooMany("values", this.#bounds.values);
    this.#starts.push(index);
    if (this.#starts.length > this.#bounds.depth)
      throw new Failure("invalid_json", `The body nests deeper than ${this.#bounds.depth} levels.`);
    this.#bases.push(this.#commas.length);
  }

  #close(index: number): void {
    const start = this.#starts.pop();
    const base = this.#bases.pop();
    if (start === undefined || base === undefined) {
      if (this.#isLarge) throw invalidJson();
      return;
    }
    const end = index + 1;
    if (end - start > maxStepBytes) this.large.set(start, { start, end, commas: this.#commas.slice(base) });
    this.#commas.length = base;
  }
}

function tooMany(subject: string, max: number): Failure {
  return new Failure("request_too_large", `The body has more than ${max} ${subject}, the maximum.`);
}

function invalidJson(): Failure {
  return new Failure("invalid_json", "The body is not valid JSON.");
}

/**
 * Searches bytes in steps of about a millisecond, because one search of a large body could take a third of a second.
 */
export function* includesAny(bytes: Buffer, ...needles: readonly Buffer[]): Generator<undefined, boolean> {
  if (bytes.length <= maxStepBytes) {
    for (const needle of needles) if (bytes.includes(needle)) return true;
    return false;
  }
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1;
  for (let from = 0; from < bytes.length; from += maxStepBytes) {
    const slice = bytes.subarray(from, from + maxStepBytes + overlap);
    for (const needle of needles) {
      if (slice.includes(needle)) return true;
      yield;
    }
  }
  return false;
}

/** Runs a stepwise computation to its end without pauses, for small input. */
export function runToEnd<Result>(work: Iterator<undefined, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
