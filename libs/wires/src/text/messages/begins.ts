import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** Whether a stream can begin with an event: one of this wire's types that is no error, with a message where it starts one. */
export function begins({ type, message }: JsonRecord): boolean {
  if (type === "message_start") return isRecord(message);
  return typeof type === "string" && /^(?:ping$|message_|content_block_)/.test(type);
}
