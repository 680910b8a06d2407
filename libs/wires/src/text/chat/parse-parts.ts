import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import { contentOf, mostParts, type ReadPart } from "../hub/content.ts";
import { mediaTypeOfName, readDataUrl } from "../hub/data-url.ts";
import { audioTypes, sourceOfUrl } from "../hub/media.ts";
import type { FilePart, Part, Source } from "../hub/part.ts";
import type { CacheHint } from "../hub/request.ts";

/** A message's content: text, or parts. */
export function parseContent(of: Fields, name: string): readonly Part[] {
  return contentOf(of, name, readers);
}

const readers: Readonly<Record<string, ReadPart>> = {
  text: (part) => present({ kind: "text", text: part.needText("text"), cache: parseCache(part) }),
  refusal: (part) => ({ kind: "refusal", text: part.needText("refusal") }),
  thinking: (part) => ({ kind: "reasoning", text: thoughtOf(part) }),
  image_url: readImage,
  file: readFile,
  input_audio: readAudio,
  video_url: (part) => ({ kind: "video", source: addressed(part, "video_url").source }),
};

/** Thoughts among the parts, as texts of their own (Mistral). */
function thoughtOf(part: Fields): string {
  const thoughts = part.each("thinking", mostParts);
  return thoughts.map((each) => (each.raw("type") === "text" ? each.needText("text") : "")).join("");
}

/** `cache_control`, which clients of other vendors write on parts and tools of this wire too. */
export function parseCache(of: Fields): CacheHint | undefined {
  const control = of.fields("cache_control");
  if (control === undefined) return undefined;
  control.ignore("type");
  return present({ lifetime: control.word("ttl", ["5m", "1h"]) });
}

/** What is given by `{url}`, with the members beside the address, or by an address alone. */
function addressed(part: Fields, name: string): { readonly source: Source; readonly beside?: Fields } {
  if (typeof part.value[name] === "string") return { source: sourceOfUrl(part.needText(name)) };
  const beside = need(part, name);
  return { source: sourceOfUrl(beside.needText("url")), beside };
}

function need(part: Fields, name: string): Fields {
  const fields = part.fields(name);
  if (fields === undefined) throw part.wrong(name, "an object");
  return fields;
}

/** An image; its detail is `auto` by default. */
export function readImage(part: Fields): Extract<Part, { kind: "image" }> {
  const { source, beside } = addressed(part, "image_url");
  const detail = beside?.text("detail");
  return present({
    kind: "image",
    source,
    detail: detail === "auto" ? undefined : detail,
    cache: parseCache(part),
  });
}

function readFile(part: Fields): FilePart {
  const file = need(part, "file");
  // The gateway stores no files, and an id of a vendor's store means nothing at another.
  if (file.has("file_id")) throw file.unsupported("file_id");
  const name = file.text("filename");
  const source = fileSource(file.needText("file_data"), name);
  return present({ kind: "file", source, name, cache: parseCache(part) });
}

/** A data URL, or bare Base64 whose type follows from its name, or its first bytes. */
function fileSource(data: string, name: string | undefined): Source {
  const read = readDataUrl(data);
  if (read !== undefined) return { kind: "base64", ...read };
  return { kind: "base64", mediaType: mediaTypeOfName(name ?? "") ?? mediaTypeOfBytes(data), data };
}

/** The Base64 of `%PDF-`, as far as it does not depend on what follows. */
const pdfMagic = "JVBERi";

function mediaTypeOfBytes(data: string): string {
  return data.startsWith(pdfMagic) ? "application/pdf" : "text/plain";
}

function readAudio(part: Fields): Part {
  const audio = need(part, "input_audio");
  const format = audio.word("format", ["mp3", "wav"]) ?? "wav";
  return { kind: "audio", source: { kind: "base64", mediaType: audioTypes[format], data: audio.needText("data") } };
}
