import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { bytesMedia, remoteFile, textAt, type Media } from "../media.ts";

/** Measures a part with bytes in line, or in a file elsewhere, in both spellings. */
export function measurePart(part: JsonRecord): Media | undefined {
  const inline = part["inlineData"] ?? part["inline_data"];
  if (isRecord(inline)) {
    const type = textAt(inline, "mimeType") || textAt(inline, "mime_type");
    return bytesMedia(type, textAt(inline, "data"));
  }
  return isRecord(part["fileData"] ?? part["file_data"]) ? remoteFile : undefined;
}
