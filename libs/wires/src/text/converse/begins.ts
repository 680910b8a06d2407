import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** Whether a stream can begin with an event: with the start of a message, and with no failure. */
export function begins({ messageStart }: JsonRecord): boolean {
  return isRecord(messageStart);
}
