import { placeOf, replaceAt } from "../../json/place.ts";
import type { RealtimeMessage } from "../message.ts";

/** An event with another name at a path of members, every other byte as it came; itself where it says no name there. */
export function withName(message: RealtimeMessage, path: readonly string[], name: string): RealtimeMessage {
  const place = placeOf(message.data, path);
  if (place === undefined || message.data[place.start] !== 0x22) return message;
  return { data: replaceAt(message.data, place, JSON.stringify(name)), binary: false };
}
