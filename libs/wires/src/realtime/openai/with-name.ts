import { rangeOf, replaceAt } from "../../json/byte-range.ts";
import type { RealtimeMessage } from "../message.ts";

/** An event with another name at a path of members, every other byte as it came; itself where it says no name there. */
export function withName(message: RealtimeMessage, path: readonly string[], name: string): RealtimeMessage {
  const range = rangeOf(message.data, path);
  if (range === undefined || message.data[range.start] !== 0x22) return message;
  return { data: replaceAt(message.data, range, JSON.stringify(name)), binary: false };
}
