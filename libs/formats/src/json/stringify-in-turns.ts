import { Base64Text } from "./base64.ts";
import { encodeLongString } from "./long-string.ts";
import { isRecord, type JsonRecord } from "./fields.ts";
import { maxStepBytes } from "./scan.ts";

class OpenContainer {
  readonly #value: JsonRecord | readonly unknown[];
  readonly #names: readonly string[] | undefined;
  #at = 0;
  #isFirst = true;

  constructor(value: JsonRecord | readonly unknown[]) {
    this.#value = value;
    this.#names = Array.isArray(value) ? undefined : Object.keys(value);
  }

  get begin(): string {
    return this.#names === undefined ? "[" : "{";
  }

  get end(): string {
    return this.#names === undefined ? "]" : "}";
  }

  /** Returns the next item, and the text to write before it; undefined at the end. Omits undefined members. */
  next(): { readonly before: string; readonly value: unknown } | undefined {
    const comma = this.#isFirst ? "" : ",";
    if (Array.isArray(this.#value)) {
      if (this.#at === this.#value.length) return undefined;
      this.#isFirst = false;
      return { before: comma, value: this.#value[this.#at++] };
    }
    for (;;) {
      const name = this.#names?.[this.#at++];
      if (name === undefined) return undefined;
      const value = isRecord(this.#value) ? this.#value[name] : undefined;
      if (value === undefined) continue;
      this.#isFirst = false;
      return { before: `${comma}${JSON.stringify(name)}:`, value };
    }
  }
}

const valuesPerStep = 2_000;

/**
 * Renders a JSON value, which may contain Base64Text, to the same bytes as JSON.stringify. Takes steps of about a
 * millisecond.
 */
export function* stringifyInTurns(value: unknown): Generator<undefined, Buffer> {
  const pieces: Buffer[] = [];
  const open: OpenContainer[] = [];
  let text = "";
  const flush = (): void => {
    pieces.push(Buffer.from(text));
    text = "";
  };
  let next: unknown = value;
  for (let count = 1; ; count++) {
    if (typeof next === "string" && next.length > maxStepBytes) {
      flush();
      pieces.push(...(yield* encodeLongString(next)));
    } else if (next instanceof Base64Text) {
      flush();
      pieces.push(...(yield* next.pieces()));
    } else if (Array.isArray(next) || isRecord(next)) {
      const container = new OpenContainer(next);
      open.push(container);
      text += container.begin;
    } else text += JSON.stringify(next) ?? "null";
    if (text.length > maxStepBytes) flush();
    let top = open.at(-1);
    let item = top?.next();
    while (top !== undefined && item === undefined) {
      text += top.end;
      open.pop();
      top = open.at(-1);
      item = top?.next();
    }
    if (item === undefined) break;
    text += item.before;
    next = item.value;
    if (count % valuesPerStep === 0) yield;
  }
  flush();
  return yield* joinInTurns(pieces);
}

const copyBytesPerStep = 1024 * 1024;

export function* joinInTurns(pieces: readonly Buffer[]): Generator<undefined, Buffer> {
  const joined = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let [end, stepEnd] = [0, copyBytesPerStep];
  for (const piece of pieces)
    for (let index = 0; index < piece.length; index += copyBytesPerStep) {
      end += piece.copy(joined, end, index, index + copyBytesPerStep);
      if (end < stepEnd) continue;
      stepEnd = end + copyBytesPerStep;
      yield;
    }
  return joined;
}
