import { present } from "@modelgate/contracts";
import { writeDataUrl } from "../hub/data-url.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import { audioBytes } from "../hub/media.ts";
import type { FilePart, ImagePart, Part, Source, TextPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/** Parts as a message's content: one text as it is. Throws Failure for what the wire cannot say. */
export function renderContent(parts: readonly Part[], unsupported: Unsupported): string | readonly JsonObject[] {
  const rendered = parts.map((part) => inputPart(part, unsupported));
  const [only] = parts;
  return parts.length === 1 && only?.kind === "text" ? only.text : rendered;
}

function inputPart(part: Part, unsupported: Unsupported): JsonObject {
  if (part.kind === "text") return inputText(part, unsupported);
  if (part.kind === "image") return inputImage(part, unsupported);
  if (part.kind === "file") return inputFile(part, unsupported);
  if (part.kind === "audio") return { type: "input_audio", input_audio: audioBytes(part.source) };
  if (part.kind === "video") return { type: "video_url", video_url: { url: urlOf(part.source) } };
  if (part.kind === "refusal") return { type: "text", text: part.text };
  throw unsupportedFailure(`${part.kind} parts`);
}

function inputText({ text, cache }: TextPart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("text.cache", cache);
  return { type: "text", text };
}

/** Details of an image that this wire has words for; the responses wire has one above them. */
const details: ReadonlySet<string> = new Set(["auto", "low", "high"]);

function inputImage({ source, detail, cache }: ImagePart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("image.cache", cache);
  const isKnown = detail === undefined || details.has(detail);
  unsupported.noteIf("image.detail", !isKnown);
  return { type: "image_url", image_url: present({ url: urlOf(source), detail: isKnown ? detail : "high" }) };
}

/** An address, or bytes as a data URL. */
export function urlOf(source: Source): string {
  if (source.kind === "file-id") throw unsupportedFailure("file ids of another vendor");
  return source.kind === "url" ? source.url : writeDataUrl(source);
}

/**
 * Vendors of this wire take PDF as a file. A text file is sent as text, under its name: few take it otherwise. Addresses
 * are the service's to bring in before.
 */
function inputFile({ source, name, title, context, citations, cache }: FilePart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("file.title", title);
  unsupported.noteIf("file.context", context);
  unsupported.noteIf("file.citations", citations);
  unsupported.noteIf("file.cache", cache);
  const called = name ?? title;
  if (source.kind === "text") return fileAsText(source.text, called);
  if (source.kind === "file-id") throw unsupportedFailure("file ids of another vendor");
  if (source.kind === "url") throw unsupportedFailure("files by address");
  if (isText(source.mediaType)) return fileAsText(Buffer.from(source.data, "base64").toString(), called);
  return { type: "file", file: { filename: called ?? "document.pdf", file_data: writeDataUrl(source) } };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

function fileAsText(text: string, name = "document.txt"): JsonObject {
  const fence = fenceFor(text);
  return { type: "text", text: `${name}\n${fence}\n${text}\n${fence}` };
}

/** A fence that the text itself does not hold. */
function fenceFor(text: string): string {
  let fence = "```";
  while (text.includes(fence)) fence += "`";
  return fence;
}
