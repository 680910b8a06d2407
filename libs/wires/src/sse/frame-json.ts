import type { JsonRecord } from "../json/fields.ts";
import { parseRecord } from "../json/parse-record.ts";
import { parseFrame } from "./decode.ts";

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

/** Where the object of a frame with one line of data stands; undefined for frames that must be read line by line. */
function objectIn(frame: Buffer): readonly [number, number] | undefined {
  const data = frame.indexOf(dataField);
  const start = frame.indexOf(openBrace);
  // A brace before the data is in a comment or another field, and a second line of data is rare.
  if (data < 0 || start < data || (data > 0 && frame[data - 1] !== lineFeed)) return undefined;
  if (frame.indexOf(dataField, start) >= 0 && /\ndata:/.test(frame.toString("latin1", start))) return undefined;
  return [start, frame.lastIndexOf(closeBrace) + 1];
}
