import { isRecord } from "../../json/fields.ts";
import type { Citation } from "../hub/part.ts";

/** Citations of a text, each kept whole for the same wire; what is malformed is passed over. */
export function parseCitations(value: unknown): readonly Citation[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((annotation) => {
    const cited = isRecord(annotation["url_citation"]) ? annotation["url_citation"] : {};
    const { url, title, start_index: start, end_index: end } = cited;
    return {
      ...(typeof url === "string" ? { url } : {}),
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof start === "number" ? { start } : {}),
      ...(typeof end === "number" ? { end } : {}),
      own: { wire: "chat", value: annotation },
    };
  });
}
