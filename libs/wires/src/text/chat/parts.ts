import { isUtf8 } from "node:buffer";
import { withoutUndefined } from "@modelgate/contracts";
import { asRecord, type Fields, isRecord, asRecords } from "@modelgate/formats/json";
import { parseCitation, parseContentParts, maxParts, readAudio, type ReadPart } from "../hub/content.ts";
import type { FilePart, Part, Source, ToolCallPart, Citation } from "../hub/part.ts";
import type { CacheHint } from "../hub/request.ts";
import { parseBreakpoint } from "../hub/prompt-cache.ts";
import { mediaTypeOfName, readDataUrl, sourceFromUrl } from "../hub/sources.ts";
import { argumentsText, callId, type CallPairs } from "../hub/tool-calls.ts";
import type { Details } from "./reasoning-details.ts";
import { readDetails, readExtraContent, splitText, splitReasoning, withSignature } from "./reasoning-details.ts";

export function parseContent(fields: Fields, name: string): readonly Part[] {
  return parseContentParts(fields, name, partReaders);
}

const partReaders: Readonly<Record<string, ReadPart>> = {
  text: (part) => withoutUndefined({ kind: "text", text: part.needText("text"), cache: parseCacheMark(part) }),
  refusal: (part) => ({ kind: "refusal", text: part.needText("refusal") }),
  thinking: (part) => ({ kind: "reasoning", text: reasoningText(part) }),
  image_url: readImage,
  file: readFile,
  input_audio: readAudio,
  video_url: (part) => ({ kind: "video", source: parseUrlMember(part, "video_url").source }),
};

/** Reads the text of a reasoning part, which Mistral sends. */
function reasoningText(part: Fields): string {
  const reasoning = part.each("thinking", maxParts);
  return reasoning.map((each) => (each.raw("type") === "text" ? each.needText("text") : "")).join("");
}

/** Parses `cache_control` of a part or tool. It belongs to the messages wire, but clients send it on this wire too. */
export function parseCache(fields: Fields): CacheHint | undefined {
  const control = fields.fields("cache_control");
  if (control === undefined) return undefined;
  control.ignore("type");
  return withoutUndefined({ lifetime: control.oneOf("ttl", ["5m", "1h"]) });
}

function parseCacheMark(part: Fields): CacheHint | undefined {
  return parseBreakpoint(part) ?? parseCache(part);
}

/** Parses a member that is an address, or an object with a `url`. */
function parseUrlMember(part: Fields, name: string): { readonly source: Source; readonly fields?: Fields } {
  if (typeof part.value[name] === "string") return { source: sourceFromUrl(part.needText(name)) };
  const fields = part.needFields(name);
  return { source: sourceFromUrl(fields.needText("url")), fields };
}

function readImage(part: Fields): Extract<Part, { kind: "image" }> {
  const { source, fields } = parseUrlMember(part, "image_url");
  const detail = fields?.text("detail");
  return withoutUndefined({
    kind: "image",
    source,
    detail: detail === "auto" ? undefined : detail,
    cache: parseCacheMark(part),
  });
}

export function readFile(part: Fields): FilePart {
  const file = part.needFields("file");
  // A file's id is valid only at the vendor that stores the file.
  if (file.has("file_id")) throw file.unsupported("file_id");
  const name = file.text("filename");
  const source = fileSource(file, name);
  return withoutUndefined({ kind: "file", source, name, cache: parseCacheMark(part) });
}

/** Reads an address, a data URL or plain Base64. Throws Failure for bytes that are neither PDF nor text. */
function fileSource(file: Fields, name = ""): Source {
  const data = file.needText("file_data");
  const dataUrl = readDataUrl(data);
  if (dataUrl !== undefined) return { kind: "base64", ...dataUrl };
  if (/^https?:\/\//.test(data)) return { kind: "url", url: data };
  const mediaType = mediaTypeOfName(name) ?? (data.startsWith(pdfMagic) ? "application/pdf" : undefined);
  if (mediaType === undefined && !isUtf8(Buffer.from(data, "base64"))) throw file.wrong("file_data", "PDF or text");
  return { kind: "base64", mediaType: mediaType ?? "text/plain", data };
}

/** Base64 of `%PDF-` without the last character, which depends on the next bytes. */
const pdfMagic = "JVBERi";

/** Maximum number of tool calls in one message, and of images. */
const maxCalls = 4_096;

interface ModelContext {
  readonly calls: CallPairs;
  /** Path of the message, from which missing ids of calls are derived. */
  readonly path: readonly (string | number)[];
  /** Wire to which signatures in Google's form belong. */
  readonly google: "chat" | "content";
}

/** Parses a message of the model. The wire does not state the order of its parts. */
export function parseModelMessage(message: Fields, context: ModelContext): readonly Part[] {
  message.ignore("role", "annotations");
  const reasoning = [message.raw("reasoning_content"), message.raw("reasoning")].find(
    (text) => typeof text === "string",
  );
  const details = readDetails(message.raw("reasoning_details"));
  const refusal = message.text("refusal") ?? "";
  const audio = message.record("audio");
  const textParts = parseText(message, details);
  return [
    ...splitReasoning(typeof reasoning === "string" ? reasoning : "", details),
    ...textParts,
    ...message.each("images", maxCalls).map((image) => readModelImage(image, context)),
    ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } as const]),
    ...readCalls(message, context),
    ...(audio === undefined ? [] : [{ kind: "vendor", wire: "chat", value: { audio } } as const]),
  ];
}

function parseText(message: Fields, details: Details): readonly Part[] {
  const parts = parseContent(message, "content");
  const [only] = parts;
  if (parts.length === 0) return splitText("", details);
  if (parts.length > 1 || only?.kind !== "text" || only.cache !== undefined) return parts;
  return splitText(only.text, details);
}

export function readModelImage(image: Fields, { google }: ModelContext): Part {
  image.ignore("type", "index");
  return withSignature(readImage(image), readExtraContent(image.raw("extra_content"), google));
}

function readCalls(message: Fields, context: ModelContext): readonly ToolCallPart[] {
  const calls = message
    .each("tool_calls", maxCalls)
    .map((call, index) =>
      withSignature(readCall(call, index, context), readExtraContent(call.raw("extra_content"), context.google)),
    );
  const old = message.fields("function_call");
  const all = old === undefined ? calls : [...calls, parseLegacyCall(old, context)];
  for (const { id, name } of all) context.calls.called(id, name);
  return all;
}

function readCall(call: Fields, index: number, { path }: ModelContext): ToolCallPart {
  call.ignore("index");
  const type = call.text("type") === "custom" ? "custom" : "function";
  const definition = call.needFields(type);
  const name = definition.needText("name");
  const clientId = call.text("id") ?? "";
  const id = clientId === "" ? callId(...path, index, name) : clientId;
  if (type === "custom")
    return { kind: "tool-call", id, name, arguments: definition.text("input") ?? "", custom: true };
  return { kind: "tool-call", id, name, arguments: argumentsOf(definition) };
}

/** Parses a call in the legacy format, which has one call per message, without an id. */
function parseLegacyCall(call: Fields, { path }: ModelContext): ToolCallPart {
  const name = call.needText("name");
  return { kind: "tool-call", id: callId(...path, "function_call", name), name, arguments: argumentsOf(call) };
}

/** Returns the arguments of a call. Some vendors send an object instead of JSON text. */
function argumentsOf(definition: Fields): string {
  const value = definition.raw("arguments");
  return isRecord(value) ? JSON.stringify(value) : argumentsText(definition.text("arguments"));
}

/** Reads a text's citations. */
export function parseCitations(value: unknown): readonly Citation[] {
  return asRecords(value).map((annotation) => {
    const { url, title, start_index: start, end_index: end } = asRecord(annotation["url_citation"]);
    return parseCitation("chat", annotation, { url, title, start, end });
  });
}
