import { Failure } from "@modelgate/contracts";
import { seekQuote } from "./members.ts";

/** Bounds of a JSON document. */
export interface JsonBounds {
  /** Deepest nesting. */
  readonly depth: number;
  /** Maximum values of any kind, however deep: items of arrays, members of objects, and what holds them. */
  readonly values: number;
  /** Maximum members of all objects together. */
  readonly members: number;
  /** Maximum members of the document's own object. Absent: as many as `members`. */
  readonly topMembers?: number;
}

/** A container that is too large to be parsed at once: its brackets, and the commas between its items. */
export interface LargeContainer {
  readonly start: number;
  /** The byte after its closing bracket. */
  readonly end: number;
  readonly commas: readonly number[];
}

/**
 * Bytes of JSON that are parsed at once. Larger documents are read in turns. V8 gives a string of 128 KiB and more pages of its
 * own, which it takes from the system and gives back each time: a megabyte in such strings costs three times what it costs in these.
 */
export const turnBytes = 112 * 1024;

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * One pass over JSON bytes that checks their bounds before a parser sees them, piece by piece. A document of more than
 * `turnBytes` also gets its large containers found, so that it can be parsed in turns. Other
 * errors are left to the parser, except for brackets of a large document that do not match.
 */
export class JsonScanner {
  /** Large containers by the byte that they start with. */
  readonly large = new Map<number, LargeContainer>();
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  readonly #isLarge: boolean;
  readonly #starts: number[] = [];
  /** Numbers of commas that were known when each open container began. */
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
    this.#isLarge = bytes.length > turnBytes;
  }

  /**
   * Scans about `count` bytes further; true when that was all. Throws Failure invalid_json (400) for what nests too
   * deep or does not match, and request_too_large (413) for too many values or members.
   */
  scan(count: number): boolean {
    const bytes = this.#bytes;
    const until = Math.min(bytes.length, this.#at + count);
    let at = this.#inString ? this.#stringFrom(this.#at, until) : this.#at;
    for (; at < until; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.#inString = true;
        at = this.#stringFrom(at + 1, until) - 1;
      } else if (byte === comma || byte === colon || byte >= openBracket) this.#see(byte, at);
    }
    this.#at = at;
    if (at < bytes.length) return false;
    if (this.#isLarge && (this.#starts.length > 0 || this.#inString)) throw notMatching();
    return true;
  }

  get values(): number {
    return this.#values;
  }

  /** Members of all objects that were scanned, duplicates included. */
  get members(): number {
    return this.#members;
  }

  /** A byte outside of strings: what separates values, what holds them, or a letter. */
  #see(byte: number, at: number): void {
    if (byte === comma) {
      if (++this.#values > this.#bounds.values) throw tooMany("values", this.#bounds.values);
      if (this.#isLarge) this.#commas.push(at);
    } else if (byte === colon) {
      if (++this.#members > this.#bounds.members) throw tooMany("members of objects", this.#bounds.members);
      const { topMembers = Infinity } = this.#bounds;
      if (this.#starts.length === 1 && ++this.#topMembers > topMembers) throw tooMany("members at its top", topMembers);
    } else if (byte === openBrace || byte === openBracket) this.#open(at);
    else if (byte === closeBrace || byte === closeBracket) this.#close(at);
  }

  /** Finds the end of a string, or the place where it goes on, at `until` or a little beyond. */
  #stringFrom(from: number, until: number): number {
    const at = seekQuote(this.#bytes, from, until);
    if (at >= until) return at;
    this.#inString = false;
    return at + 1;
  }

  #open(at: number): void {
    if (++this.#values > this.#bounds.values) throw tooMany("values", this.#bounds.values);
    this.#starts.push(at);
    if (this.#starts.length > this.#bounds.depth)
      throw new Failure("invalid_json", `The body nests deeper than ${this.#bounds.depth} levels.`);
    this.#bases.push(this.#commas.length);
  }

  #close(at: number): void {
    const start = this.#starts.pop();
    const base = this.#bases.pop();
    if (start === undefined || base === undefined) {
      if (this.#isLarge) throw notMatching();
      return;
    }
    const end = at + 1;
    if (end - start > turnBytes) this.large.set(start, { start, end, commas: this.#commas.slice(base) });
    this.#commas.length = base;
  }
}

function tooMany(what: string, most: number): Failure {
  return new Failure("request_too_large", `The body has more than ${most} ${what}, the maximum.`);
}

function notMatching(): Failure {
  return new Failure("invalid_json", "The body is not valid JSON.");
}

/**
 * Searches bytes for one of some words, in steps of about a millisecond. A search that is called once for all of a
 * large body can take a third of a second where every byte may begin the word.
 */
export function* holdsAny(bytes: Buffer, ...words: readonly Buffer[]): Generator<undefined, boolean> {
  if (bytes.length <= turnBytes) {
    for (const word of words) if (bytes.includes(word)) return true;
    return false;
  }
  const overlap = Math.max(...words.map(({ length }) => length)) - 1;
  for (let from = 0; from < bytes.length; from += turnBytes) {
    const slice = bytes.subarray(from, from + turnBytes + overlap);
    for (const word of words) {
      if (slice.includes(word)) return true;
      yield;
    }
  }
  return false;
}

/** Runs work that pauses after each of its small steps to its end at once: what it works on is known to be small. */
export function atOnce<Result>(work: Iterator<undefined, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
