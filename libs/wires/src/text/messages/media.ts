import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { bytesMedia, imageMedia, remoteFile, textAt, type Media } from "../media.ts";

/** Measures a block by its source. Plain text in one is text. */
export function measurePart({ type, source }: JsonRecord): Media | undefined {
  if (!isRecord(source)) return undefined;
  if (source["type"] === "url") return type === "image" ? imageMedia("") : remoteFile;
  if (source["type"] !== "base64") return undefined;
  return bytesMedia(textAt(source, "media_type"), textAt(source, "data"));
}
