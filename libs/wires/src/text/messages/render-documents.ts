import { present } from "@modelgate/contracts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { FilePart, Source } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { renderCache } from "./cache.ts";

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Types beside `text/…` whose bytes are text. */
const textTypes: ReadonlySet<string> = new Set(["application/json", "application/xml", "application/yaml"]);

/** The `source` of an image. Addresses that the vendor cannot fetch are the service's to bring in before. */
export function renderImageSource(source: Source): JsonObject {
  if (source.kind !== "base64") return addressSource(source);
  const mediaType = source.mediaType;
  if (!imageTypes.has(mediaType)) throw unsupportedFailure(`${mediaType} parts`);
  return { type: "base64", media_type: mediaType, data: source.data };
}

/** A file as a document. Its name is its title, where it has none of its own. */
export function renderDocument(part: FilePart, unsupported: Unsupported): readonly JsonObject[] {
  const { source, name, title, context, citations, cache } = part;
  unsupported.noteIf("file.name", title === undefined ? undefined : name);
  return [
    present({
      type: "document",
      source: fileSource(source),
      title: title ?? name,
      context,
      citations: citations === true ? { enabled: true } : undefined,
      cache_control: renderCache(cache),
    }),
  ];
}

/** PDF goes as bytes, text as text. */
function fileSource(source: FilePart["source"]): JsonObject {
  if (source.kind === "text") return textSource(source.text);
  if (source.kind !== "base64") return addressSource(source);
  const { mediaType, data } = source;
  if (mediaType === "application/pdf") return { type: "base64", media_type: mediaType, data };
  if (!mediaType.startsWith("text/") && !textTypes.has(mediaType)) throw unsupportedFailure(`${mediaType} parts`);
  return textSource(Buffer.from(data, "base64").toString());
}

function textSource(data: string): JsonObject {
  return { type: "text", media_type: "text/plain", data };
}

function addressSource(source: Exclude<Source, { kind: "base64" }>): JsonObject {
  if (source.kind === "url") return { type: "url", url: source.url };
  if (source.wire !== "messages") throw unsupportedFailure("file ids of another vendor");
  return { type: "file", file_id: source.id };
}
