import { maxStepBytes } from "./scan.ts";

/** Bytes that are written to JSON as Base64 without building the complete Base64 string in memory. */
export class Base64Text {
  readonly #head: string;
  readonly #bytes: Buffer;

  /** @param head text before the Base64, in ASCII that JSON does not escape: the beginning of a data URL */
  constructor(head: string, bytes: Buffer) {
    this.#head = head;
    this.#bytes = bytes;
  }

  toJSON(): string {
    return this.#head + this.#bytes.toString("base64");
  }

  /** Returns the JSON string, with quotes. */
  *pieces(): Generator<undefined, readonly Buffer[]> {
    const pieces = [Buffer.from(`"${this.#head}`)];
    for (let index = 0; index < this.#bytes.length; index += encodedAtOnce) {
      pieces.push(Buffer.from(this.#bytes.toString("base64", index, index + encodedAtOnce), "latin1"));
      yield;
    }
    pieces.push(Buffer.from('"'));
    return pieces;
  }
}

/** Bytes that are encoded in one step. A multiple of 3, so that only the last piece has padding. */
const encodedAtOnce = 3 * 64 * 1024;

/** Returns whether a pattern of one character matches in the text before `end`. Takes steps below a millisecond. */
export function* includesMatch(text: string, pattern: RegExp, end: number): Generator<undefined, boolean> {
  for (let from = 0; from < end; from += maxStepBytes) {
    if (from > 0) yield;
    if (pattern.test(text.slice(from, Math.min(end, from + maxStepBytes)))) return true;
  }
  return false;
}

/** Decodes valid Base64 in steps of about a millisecond. */
export function* decodeBase64(data: string): Generator<undefined, Buffer> {
  if (data.length <= maxStepBytes) return Buffer.from(data, "base64");
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((data.length * 3) / 4));
  let size = 0;
  for (let index = 0; index < data.length; index += maxStepBytes) {
    size += bytes.write(data.slice(index, index + maxStepBytes), size, "base64");
    yield;
  }
  return bytes.subarray(0, size);
}
