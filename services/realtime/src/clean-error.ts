import { cleanWords } from "@modelgate/providers";
import { isRecord } from "@modelgate/wires/json";
import { eventType, parseEvent, type RealtimeMessage } from "@modelgate/wires/realtime";

/** A vendor's `error` event without the addresses and keys that its words may hold; every other message as it came. */
export function cleanError(message: RealtimeMessage): RealtimeMessage {
  if (message.binary || eventType(message.data) !== "error") return message;
  const event = parseEvent(message.data);
  const error = event?.["error"];
  if (!isRecord(error) || typeof error["message"] !== "string") return message;
  const clean = cleanWords(error["message"]);
  if (clean === error["message"]) return message;
  return { data: Buffer.from(JSON.stringify({ ...event, error: { ...error, message: clean } })), binary: false };
}
