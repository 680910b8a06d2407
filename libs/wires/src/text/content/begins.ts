import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** Whether a stream can begin with an event: a piece of an answer, no error and no other shape. */
export function begins(event: JsonRecord): boolean {
  const { error, promptFeedback, usageMetadata } = event;
  const candidates = event["candidates"] ?? undefined;
  if (isRecord(error)) return false;
  // A prompt that is blocked has no candidates, and some pieces only report usage.
  if (candidates === undefined) return isRecord(promptFeedback) || isRecord(usageMetadata);
  return Array.isArray(candidates) && candidates.every(isRecord);
}
