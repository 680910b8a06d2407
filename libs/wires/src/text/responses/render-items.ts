import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { logProbability } from "../hub/content.ts";
import { unsupportedFailure, type Unsupported } from "../hub/request.ts";
import type {
  CompactionPart,
  ImagePart,
  Part,
  ReasoningPart,
  ToolCallPart,
  Citation,
  FilePart,
  Source,
  TextPart,
} from "../hub/part.ts";
import { ownSignature } from "../hub/signatures.ts";
import { renderBreakpoint } from "../hub/prompt-cache.ts";
import { writeDataUrl } from "../hub/sources.ts";
import type { LocalName } from "./tools.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** Renders adjacent texts and refusals of the model as one message. */
export function messageItem(id: string, parts: readonly Part[], status: ItemStatus): JsonRecord {
  return { type: "message", id, status, role: "assistant", content: parts.flatMap(messageContent) };
}

function messageContent(part: Part): readonly JsonRecord[] {
  if (part.kind === "text") return [outputText(part)];
  return part.kind === "refusal" ? [{ type: "refusal", refusal: part.text }] : [];
}

/** Renders parts of reasoning as one item. Parts with `summary: false` become its content, all others its summary. */
export function reasoningItem(
  id: string | undefined,
  parts: readonly ReasoningPart[],
  encrypted: string | undefined,
): JsonRecord {
  const visibleParts = parts.filter(({ text }) => text !== "");
  const summary = visibleParts.filter(isSummary).map(({ text }) => ({ type: "summary_text", text }));
  const content = visibleParts.filter((part) => !isSummary(part)).map(({ text }) => ({ type: "reasoning_text", text }));
  return withoutUndefined({
    type: "reasoning",
    id,
    summary,
    content: content.length > 0 ? content : undefined,
    encrypted_content: encrypted,
  });
}

export function isSummary({ summary }: { readonly summary?: boolean | undefined }): boolean {
  return summary !== false;
}

/** Renders a call. `id` is the item's id, not the call's. `local` is the tool's name on this wire. */
export function callItem(
  id: string | undefined,
  part: Pick<ToolCallPart, "id" | "name" | "arguments" | "custom">,
  status: ItemStatus,
  local?: LocalName,
): JsonRecord {
  const commonMembers = { id, call_id: part.id, name: part.name, ...local };
  return part.custom === true
    ? withoutUndefined({ type: "custom_tool_call", ...commonMembers, input: part.arguments, status })
    : withoutUndefined({ type: "function_call", ...commonMembers, arguments: part.arguments, status });
}

/** Renders a generated image; undefined if its bytes are not available. */
export function imageItem(id: string, { source }: ImagePart): JsonRecord | undefined {
  if (source.kind !== "base64") return undefined;
  const format = source.mediaType.split("/")[1];
  return withoutUndefined({
    type: "image_generation_call",
    id,
    status: "completed",
    result: source.data,
    output_format: format === "png" ? undefined : format,
  });
}

/** Renders a compaction; undefined if it belongs to another wire. */
export function compactionItem(id: string | undefined, { signature }: CompactionPart): JsonRecord | undefined {
  const value = ownSignature(signature, "responses");
  return value === undefined ? undefined : withoutUndefined({ type: "compaction", id, encrypted_content: value });
}

/** Renders an input part, or a part of a tool's output. Throws Failure if the wire cannot express it. */
export function inputPart(part: Part, unsupported: Unsupported): JsonRecord {
  if (part.kind === "text") return inputText(part, unsupported);
  if (part.kind === "image") return inputImage(part, unsupported);
  if (part.kind === "file") return inputFile(part, unsupported);
  if (part.kind === "refusal") return { type: "input_text", text: part.text };
  throw unsupportedFailure(`${part.kind} parts`);
}

function inputText({ text, cache }: TextPart, unsupported: Unsupported): JsonRecord {
  return { type: "input_text", text, ...renderBreakpoint(cache, "text.cache", unsupported, "12h") };
}

function inputImage({ source, detail, cache }: ImagePart, unsupported: Unsupported): JsonRecord {
  const breakpoint = renderBreakpoint(cache, "image.cache", unsupported, "12h");
  return withoutUndefined({ type: "input_image", detail: detail ?? "auto", ...imageSource(source), ...breakpoint });
}

function imageSource(source: Source): JsonRecord {
  if (source.kind === "file-id") return { file_id: ownFile(source) };
  return { image_url: source.kind === "url" ? source.url : writeDataUrl(source) };
}

function inputFile(file: FilePart, unsupported: Unsupported): JsonRecord {
  unsupported.noteMembers("file", file, ["title", "context", "citations"]);
  const breakpoint = renderBreakpoint(file.cache, "file.cache", unsupported, "12h");
  const source = fileSource(file.source, file.name ?? file.title);
  return withoutUndefined({ type: "input_file", ...source, ...breakpoint });
}

function fileSource(source: FilePart["source"], name: string | undefined): JsonRecord {
  if (source.kind === "file-id") return { file_id: ownFile(source), filename: name };
  if (source.kind === "url") return { file_url: source.url, filename: name };
  // The vendor requires a name for a file that is sent as bytes.
  if (source.kind === "base64")
    return { file_data: writeDataUrl(source), filename: name ?? defaultFileName(source.mediaType) };
  const data = Buffer.from(source.text).toString("base64");
  return { file_data: writeDataUrl({ mediaType: "text/plain", data }), filename: name ?? "document.txt" };
}

function defaultFileName(mediaType: string): string {
  return mediaType === "application/pdf" ? "document.pdf" : "document.txt";
}

function ownFile({ wire, id }: Extract<Source, { kind: "file-id" }>): string {
  if (wire === "responses") return id;
  throw unsupportedFailure("file ids of another vendor");
}

export function outputText({ text, citations, logProbabilities }: TextPart): JsonRecord {
  return {
    type: "output_text",
    text,
    annotations: (citations ?? []).flatMap((citation) => renderAnnotation(citation, text.length)),
    logprobs: (logProbabilities ?? []).map(logProbability),
  };
}

/** Renders a citation as an annotation. A citation from another wire is left out unless it has a URL. */
export function renderAnnotation(citation: Citation, length: number): readonly unknown[] {
  if (citation.own?.wire === "responses") return [citation.own.value];
  const { url, title, start, end } = citation;
  if (url === undefined) return [];
  return [{ type: "url_citation", start_index: start ?? 0, end_index: end ?? length, title: title ?? url, url }];
}
