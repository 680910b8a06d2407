import { present } from "@modelgate/contracts";
import { type Fields, isRecord } from "../../json/fields.ts";
import { citationOf, contentOf, maxParts, readAudio, type ReadPart } from "../hub/content.ts";
import type { FilePart, Part, Source, ToolCallPart, Citation } from "../hub/part.ts";
import type { CacheHint } from "../hub/request.ts";
import { mediaTypeOfName, readDataUrl, sourceOfUrl } from "../hub/sources.ts";
import { callId, type CallPairs } from "../hub/tool-calls.ts";
import { readDetails, readExtra, sealedTexts, sealedThoughts, withSeal, type Details } from "./seals.ts";

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
  const thoughts = part.each("thinking", maxParts);
  return thoughts.map((each) => (each.raw("type") === "text" ? each.needText("text") : "")).join("");
}

/** `cache_control`, which clients of other vendors write on parts and tools of this wire too. */
export function parseCache(of: Fields): CacheHint | undefined {
  const control = of.fields("cache_control");
  if (control === undefined) return undefined;
  control.ignore("type");
  return present({ lifetime: control.word("ttl", ["5m", "1h"]) });
}

/** Reads the source in `{url}`, with the members beside the address, or by an address alone. */
function addressed(part: Fields, name: string): { readonly source: Source; readonly fields?: Fields } {
  if (typeof part.value[name] === "string") return { source: sourceOfUrl(part.needText(name)) };
  const fields = part.needFields(name);
  return { source: sourceOfUrl(fields.needText("url")), fields };
}

/** An image; its detail is `auto` by default. */
function readImage(part: Fields): Extract<Part, { kind: "image" }> {
  const { source, fields } = addressed(part, "image_url");
  const detail = fields?.text("detail");
  return present({
    kind: "image",
    source,
    detail: detail === "auto" ? undefined : detail,
    cache: parseCache(part),
  });
}

function readFile(part: Fields): FilePart {
  const file = part.needFields("file");
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
  const byBytes = data.startsWith(pdfMagic) ? "application/pdf" : "text/plain";
  return { kind: "base64", mediaType: mediaTypeOfName(name ?? "") ?? byBytes, data };
}

/** The Base64 of `%PDF-`, as far as it does not depend on what follows. */
const pdfMagic = "JVBERi";

/** Tool calls and images that one message may have. */
const maxCalls = 4_096;

/** Place of a message of the model, and the calls before it. */
interface ModelContext {
  readonly calls: CallPairs;
  /** Makes ids of calls that have none. */
  readonly path: readonly (string | number)[];
  /** Wire of a signature in Google's spelling: this one's vendor, or a client that Google's wire can read. */
  readonly google: "chat" | "content";
}

/**
 * A message of the model, in an answer or in the history, as parts in one order: thoughts, words, images, refusal,
 * calls, audio. The wire has no other.
 */
export function modelParts(message: Fields, at: ModelContext): readonly Part[] {
  message.ignore("role", "annotations");
  const thoughts = [message.raw("reasoning_content"), message.raw("reasoning")].find(
    (text) => typeof text === "string",
  );
  const details = readDetails(message.raw("reasoning_details"));
  const refusal = message.text("refusal") ?? "";
  const audio = message.record("audio");
  const words = readWords(message, details);
  return [
    ...sealedThoughts(typeof thoughts === "string" ? thoughts : "", details),
    ...words,
    ...message.each("images", maxCalls).map((image) => readModelImage(image, at)),
    ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } as const]),
    ...readCalls(message, at),
    ...(audio === undefined ? [] : [{ kind: "vendor", wire: "chat", value: { audio } } as const]),
  ];
}

/** Clients write empty words beside calls; they say nothing. */
function readWords(message: Fields, details: Details): readonly Part[] {
  const parts = parseContent(message, "content");
  const [only] = parts;
  if (parts.length === 0) return sealedTexts("", details);
  if (parts.length > 1 || only?.kind !== "text" || only.cache !== undefined) return parts;
  return sealedTexts(only.text, details);
}

/** An image that the model made. */
export function readModelImage(image: Fields, { google }: ModelContext): Part {
  image.ignore("type", "index");
  return withSeal(readImage(image), readExtra(image.raw("extra_content"), google));
}

function readCalls(message: Fields, at: ModelContext): readonly ToolCallPart[] {
  const calls = message
    .each("tool_calls", maxCalls)
    .map((call, index) => withSeal(readCall(call, index, at), readExtra(call.raw("extra_content"), at.google)));
  const old = message.fields("function_call");
  const all = old === undefined ? calls : [...calls, readOldCall(old, at)];
  for (const { id, name } of all) at.calls.called(id, name);
  return all;
}

function readCall(call: Fields, index: number, { path }: ModelContext): ToolCallPart {
  call.ignore("index");
  const type = call.text("type") === "custom" ? "custom" : "function";
  const called = call.needFields(type);
  const name = called.needText("name");
  const given = call.text("id") ?? "";
  const id = given === "" ? callId(...path, index, name) : given;
  if (type === "custom") return { kind: "tool-call", id, name, arguments: called.text("input") ?? "", custom: true };
  return { kind: "tool-call", id, name, arguments: argumentsOf(called) };
}

/** The one call of a message, as it was before there were tools: it has no id. */
function readOldCall(call: Fields, { path }: ModelContext): ToolCallPart {
  const name = call.needText("name");
  return { kind: "tool-call", id: callId(...path, "function_call", name), name, arguments: argumentsOf(call) };
}

/** JSON text; some vendors write the object itself. */
function argumentsOf(called: Fields): string {
  const value = called.raw("arguments");
  return isRecord(value) ? JSON.stringify(value) : (called.text("arguments") ?? "");
}

/** Citations of a text, each kept whole for the same wire; what is malformed is passed over. */
export function parseCitations(value: unknown): readonly Citation[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((annotation) => {
    const cited = isRecord(annotation["url_citation"]) ? annotation["url_citation"] : {};
    const { url, title, start_index: start, end_index: end } = cited;
    return citationOf("chat", annotation, { url, title, start, end });
  });
}
