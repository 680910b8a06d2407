import { type JsonRecord, parseRecord } from "../json/fields.ts";

/** A stream whose frame never ends must not grow memory. */
const maxFrameChars = 16 * 1024 * 1024;

/**
 * Bytes in, whole frames out; no streams and no promises. Any split is survived: inside a UTF-8 character, between
 * CR and LF, inside a frame. Comments are passed over, several data lines are joined by a line feed.
 */
export class SseDecoder {
  readonly #text = new TextDecoder();
  readonly #maxChars: number;
  #held: string[] = [];
  #heldChars = 0;

  constructor(maxChars: number = maxFrameChars) {
    this.#maxChars = maxChars;
  }

  /** Throws RangeError for a frame beyond the bound. */
  push(bytes: Uint8Array): readonly Frame[] {
    return this.#take(this.#text.decode(bytes, { stream: true }));
  }

  /** Returns the frame that was unfinished at the end of the stream: a last frame without its empty line counts. */
  end(): readonly Frame[] {
    const rest = this.#held.join("") + this.#text.decode();
    this.#held = [];
    this.#heldChars = 0;
    const frame = parseFrame(rest);
    return frame === undefined ? [] : [frame];
  }

  #take(text: string): readonly Frame[] {
    if (text === "") return [];
    // Pieces are joined once, when a frame may end in them: adding them up one by one would be quadratic.
    this.#held.push(text);
    this.#heldChars += text.length;
    if (!text.includes("\n") && !text.includes("\r")) {
      this.#check();
      return [];
    }
    const all = this.#held.join("");
    // A CR at the very end may be half of a CRLF: the frame is looked at when the next byte is known.
    const usable = all.endsWith("\r") ? all.length - 1 : all.length;
    const frames: Frame[] = [];
    let start = 0;
    for (const match of all.slice(0, usable).matchAll(/\r\n\r\n|\n\n|\r\r|\n\r\n|\r\n\n/g)) {
      const frame = parseFrame(all.slice(start, match.index));
      if (frame !== undefined) frames.push(frame);
      start = match.index + match[0].length;
    }
    const rest = all.slice(start);
    this.#held = rest === "" ? [] : [rest];
    this.#heldChars = rest.length;
    this.#check();
    return frames;
  }

  #check(): void {
    if (this.#heldChars > this.#maxChars)
      throw new RangeError(`a server-sent event is longer than ${this.#maxChars} characters`);
  }
}

/** The fields of one frame; undefined where it has no data. */
export function parseFrame(block: string): Frame | undefined {
  let event: string | undefined;
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}

/** One frame of a vendor's stream: its data, and the name of its event where the framing has one. */
export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}

const dataField = Buffer.from("data:");
const [openBrace, closeBrace, lineFeed] = [0x7b, 0x7d, 0x0a];

/** The JSON object that a frame carries; undefined where it carries none. */
export function parseFrameRecord(frame: Buffer): JsonRecord | undefined {
  const [start, end] = objectIn(frame) ?? [];
  const text = end === undefined ? parseFrame(frame.toString())?.data : frame.toString("utf8", start, end);
  return text === undefined ? undefined : parseRecord(text);
}

/** The same frame with its JSON changed; frames that carry none stay as they are. */
export function changeJson(frame: Buffer, change: (json: Buffer) => Buffer): Buffer {
  if (parseFrameRecord(frame) === undefined) return frame;
  const [start, end] = objectIn(frame) ?? [];
  if (start !== undefined)
    return Buffer.concat([frame.subarray(0, start), change(frame.subarray(start, end)), frame.subarray(end)]);
  const { event, data = "" } = parseFrame(frame.toString()) ?? {};
  const head = event === undefined ? "" : `event: ${event}\n`;
  return Buffer.concat([
    Buffer.from(`${head}data: `),
    change(Buffer.from(data.replaceAll("\n", ""))),
    Buffer.from("\n\n"),
  ]);
}

/** Finds the object of a frame with one line of data; undefined for frames that must be read line by line. */
function objectIn(frame: Buffer): readonly [number, number] | undefined {
  const data = frame.indexOf(dataField);
  const start = frame.indexOf(openBrace);
  // A brace before the data is in a comment or another field, and a second line of data is rare.
  if (data < 0 || start < data || (data > 0 && frame[data - 1] !== lineFeed)) return undefined;
  if (frame.indexOf(dataField, start) >= 0 && /\ndata:/.test(frame.toString("latin1", start))) return undefined;
  return [start, frame.lastIndexOf(closeBrace) + 1];
}
