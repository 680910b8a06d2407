import type { Fields } from "../../json/fields.ts";
import { knownMediaType } from "../hub/data-url.ts";
import type { Source } from "../hub/part.ts";

/** The `source` of an image. */
export function imageSource(source: Fields): Source {
  const type = source.word("type", ["base64", "url", "file"]);
  if (type === undefined) throw source.wrong("type", "one of base64, url, file");
  return type === "base64" ? bytesOf(source) : addressOf(source, type);
}

/** Bytes with their type. */
export function bytesOf(source: Fields): Source {
  return { kind: "base64", mediaType: knownMediaType(source.needText("media_type")), data: source.needText("data") };
}

/** An address, or an id in the vendor's store. */
export function addressOf(source: Fields, type: "url" | "file"): Source {
  if (type === "url") return { kind: "url", url: source.needText("url") };
  return { kind: "file-id", wire: "messages", id: source.needText("file_id") };
}
