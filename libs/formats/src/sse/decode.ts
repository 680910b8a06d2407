import { type JsonRecord, parseRecord } from "../json/fields.ts";

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

/** One frame of a vendor's stream: its data, and its event's name if the framing has one. */
export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}

const dataField = Buffer.from("data:");
const [openBrace, closeBrace, lineFeed] = [0x7b, 0x7d, 0x0a];

export function parseFrameRecord(frame: Buffer): JsonRecord | undefined {
  const [start, end] = findJsonObject(frame) ?? [];
  const text = end === undefined ? parseFrame(frame.toString())?.data : frame.toString("utf8", start, end);
  return text === undefined ? undefined : parseRecord(text);
}

/** Changes the JSON of a frame. A frame without JSON is returned unchanged. */
export function replaceFrameJson(frame: Buffer, change: (json: Buffer) => Buffer): Buffer {
  if (parseFrameRecord(frame) === undefined) return frame;
  const [start, end] = findJsonObject(frame) ?? [];
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

/** Finds the object of a frame with one data line; undefined for frames that must be read line by line. */
function findJsonObject(frame: Buffer): readonly [number, number] | undefined {
  const data = frame.indexOf(dataField);
  const start = frame.indexOf(openBrace);
  // A brace before the data belongs to a comment or another field. Frames with a second data line are rare.
  if (data < 0 || start < data || (data > 0 && frame[data - 1] !== lineFeed)) return undefined;
  if (frame.indexOf(dataField, start) >= 0 && /\ndata:/.test(frame.toString("latin1", start))) return undefined;
  return [start, frame.lastIndexOf(closeBrace) + 1];
}
