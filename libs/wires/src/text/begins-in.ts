import { parseRecord } from "../json/parse-record.ts";
import type { TextCodec } from "./hub/codec.ts";

/** Whether a vendor's stream can begin with a frame. One without data, which only keeps the connection alive, always may. */
export function beginsIn({ framing, begins }: Pick<TextCodec, "begins" | "framing">, first: Buffer): boolean {
  const frame = framing.parse(first);
  if (frame === undefined) return true;
  const event = parseRecord(frame.data);
  return event !== undefined && begins(event);
}
