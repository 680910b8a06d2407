import { isRecord, type JsonRecord } from "../../json/fields.ts";

const failures: readonly unknown[] = ["error", "response.failed"];
/** Events that hold the whole response as it is now. */
const withResponse = /^response\.(?:created|queued|in_progress|completed|incomplete)$/;

/** Whether a stream can begin with an event: one that says its type, is no failure, and holds the response that it should. */
export function begins({ type, response }: JsonRecord): boolean {
  if (typeof type !== "string" || failures.includes(type)) return false;
  return !withResponse.test(type) || isRecord(response);
}
