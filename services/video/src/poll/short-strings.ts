import type { UpstreamAnswer } from "@modelgate/channels";

const [quote, escape, unicode] = [0x22, 0x5c, 0x75];
/** Number of hexadecimal digits in a `\u` escape. */
const digits = 4;

/** Shortens the strings of a JSON text that arrives in chunks, so that a video in it does not fill the memory. */
export class StringShortener {
  readonly #maxCharacters: number;
  #inString = false;
  /** Number of bytes of the current string that were passed on. */
  #length = 0;
  /** Set if the next byte belongs to an escape: "kept" if the escape is passed on, "cut" if it is left out. */
  #escaped: "kept" | "cut" | undefined;
  /** Number of bytes to pass on beyond the limit, so that an escape is not split. */
  #escapeRest = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Returns a chunk without those parts of strings that exceed the limit. */
  push(piece: Buffer): Buffer {
    const output: Buffer[] = [];
    for (let position = 0; position < piece.length;)
      position = this.#inString
        ? this.#readString(piece, position, output)
        : this.#readToString(piece, position, output);
    return Buffer.concat(output);
  }

  #readToString(piece: Buffer, position: number, output: Buffer[]): number {
    const quoteAt = piece.indexOf(quote, position);
    const end = quoteAt < 0 ? piece.length : quoteAt + 1;
    output.push(piece.subarray(position, end));
    [this.#inString, this.#length] = [quoteAt >= 0, 0];
    return end;
  }

  #readString(piece: Buffer, position: number, output: Buffer[]): number {
    if (this.#escaped !== undefined) return this.#readEscaped(piece, position, output);
    const end = endOfPlain(piece, position);
    const room = Math.max(this.#maxCharacters - this.#length, this.#escapeRest);
    const passedBytes = Math.max(0, Math.min(end - position, room));
    output.push(piece.subarray(position, position + passedBytes));
    this.#length += passedBytes;
    this.#escapeRest = Math.max(0, this.#escapeRest - passedBytes);
    if (end === piece.length) return end;
    if (piece[end] === quote) this.#inString = false;
    else this.#escaped = this.#length < this.#maxCharacters ? "kept" : "cut";
    if (this.#escaped !== "cut") output.push(piece.subarray(end, end + 1));
    return end + 1;
  }

  #readEscaped(piece: Buffer, position: number, output: Buffer[]): number {
    if (this.#escaped === "kept") {
      output.push(piece.subarray(position, position + 1));
      this.#length += 2;
      if (piece[position] === unicode) this.#escapeRest = digits;
    }
    this.#escaped = undefined;
    return position + 1;
  }
}

/** Returns the index of the next quote or escape, or the end of the chunk. */
function endOfPlain(piece: Buffer, position: number): number {
  const end = piece.indexOf(quote, position);
  const until = end < 0 ? piece.length : end;
  const escapeAt = piece.subarray(position, until).indexOf(escape);
  return escapeAt < 0 ? until : position + escapeAt;
}

/** Returns an answer in whose JSON body long strings are shortened. */
export function withShortStrings(answer: UpstreamAnswer, maxCharacters: number): UpstreamAnswer {
  const cutter = new StringShortener(maxCharacters);
  return {
    status: answer.status,
    headers: answer.headers,
    pipe: (sink) =>
      answer.pipe({
        data: (chunk) => sink.data(cutter.push(chunk)),
        end: () => sink.end(),
        fail: (error) => sink.fail(error),
      }),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    abort: () => answer.abort(),
  };
}
