import { present } from "@modelgate/contracts";
import { writeDataUrl } from "../hub/data-url.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import { logProbability } from "../hub/log-probabilities.ts";
import type { Citation, FilePart, ImagePart, Part, Source, TextPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/** A part of a user's or system's message, or of a tool's output. Throws Failure for what the wire cannot say. */
export function inputPart(part: Part, unsupported: Unsupported): JsonObject {
  if (part.kind === "text") return inputText(part, unsupported);
  if (part.kind === "image") return inputImage(part, unsupported);
  if (part.kind === "file") return inputFile(part, unsupported);
  if (part.kind === "refusal") return { type: "input_text", text: part.text };
  throw unsupportedFailure(`${part.kind} parts`);
}

function inputText({ text, cache }: TextPart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("text.cache", cache);
  return { type: "input_text", text };
}

function inputImage({ source, detail, cache }: ImagePart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("image.cache", cache);
  return present({ type: "input_image", detail: detail ?? "auto", ...imageSource(source) });
}

function imageSource(source: Source): JsonObject {
  if (source.kind === "file-id") return { file_id: ownFile(source) };
  return { image_url: source.kind === "url" ? source.url : writeDataUrl(source) };
}

function inputFile({ source, name, title, context, citations, cache }: FilePart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("file.title", title);
  unsupported.noteIf("file.context", context);
  unsupported.noteIf("file.citations", citations);
  unsupported.noteIf("file.cache", cache);
  return present({ type: "input_file", ...fileSource(source, name ?? title) });
}

function fileSource(source: FilePart["source"], name: string | undefined): JsonObject {
  if (source.kind === "file-id") return { file_id: ownFile(source), filename: name };
  if (source.kind === "url") return { file_url: source.url, filename: name };
  // The vendor wants a name beside bytes.
  if (source.kind === "base64") return { file_data: writeDataUrl(source), filename: name ?? nameOf(source.mediaType) };
  const data = Buffer.from(source.text).toString("base64");
  return { file_data: writeDataUrl({ mediaType: "text/plain", data }), filename: name ?? "document.txt" };
}

function nameOf(mediaType: string): string {
  return mediaType === "application/pdf" ? "document.pdf" : "document.txt";
}

function ownFile({ wire, id }: Extract<Source, { kind: "file-id" }>): string {
  if (wire === "responses") return id;
  throw unsupportedFailure("file ids of another vendor");
}

/** A text of the model, in an answer or in the history. */
export function outputText({ text, citations, logProbabilities }: TextPart): JsonObject {
  return {
    type: "output_text",
    text,
    annotations: (citations ?? []).flatMap((citation) => annotation(citation, text.length)),
    logprobs: (logProbabilities ?? []).map(logProbability),
  };
}

/** A citation as an annotation: the wire's own as it came, another's where it has an address. */
export function annotation(citation: Citation, length: number): readonly unknown[] {
  if (citation.own?.wire === "responses") return [citation.own.value];
  const { url, title, start, end } = citation;
  if (url === undefined) return [];
  return [{ type: "url_citation", start_index: start ?? 0, end_index: end ?? length, title: title ?? url, url }];
}
