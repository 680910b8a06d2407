import type { JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import type { Transcript } from "../hub/answer.ts";

/** Most segments that an answer may have: a day of speech in pieces of a second. */
const mostSegments = 100_000;

/** Parses a transcript in JSON, with its segments where it has any. */
export function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => ({
    text: fields.needText("text"),
    segments: fields.has("segments")
      ? fields.each("segments", mostSegments).map((segment) => ({
          text: segment.needText("text"),
          start: segment.number("start") ?? 0,
          end: segment.number("end") ?? 0,
        }))
      : undefined,
  }));
}
