import type { JsonRecord } from "../json/fields.ts";
import { parseRecord } from "../json/parse-record.ts";
import type { StreamFraming } from "./framing.ts";

/** What a wire says of its streams: how they are framed, and which events can begin one. */
export interface StreamForm {
  readonly framing: StreamFraming;
  begins(event: JsonRecord): boolean;
}

/** Whether a vendor's stream can begin with a frame. One without data, which only keeps the connection alive, always may. */
export function beginsIn({ framing, begins }: StreamForm, first: Buffer): boolean {
  const frame = framing.parse(first);
  if (frame === undefined) return true;
  const event = parseRecord(frame.data);
  return event !== undefined && begins(event);
}
