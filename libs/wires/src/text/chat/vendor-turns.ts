import { present } from "@modelgate/contracts";
import { unsupportedFailure, type Unsupported } from "../hub/field-support.ts";
import { refusesUnknownFields } from "../hub/followers-members.ts";
import type {
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  FilePart,
  ImagePart,
  Source,
} from "../hub/part.ts";
import { ownItem, refuseCompaction } from "../hub/render.ts";
import type { JsonObject, TextRequest, Turn } from "../hub/request.ts";
import { writeDataUrl, audioBytes } from "../hub/sources.ts";
import { wrapCustom } from "../hub/tool-calls.ts";
import { ownDetailsOf, ownExtra } from "./seals.ts";

/**
 * The conversation as messages for a model. All instructions are one message, as some vendors take no second; its
 * role is `system`, as only the wire's own vendor knows `developer`, and takes both.
 */
export function renderTurns(request: TextRequest, model: string, unsupported: Unsupported): readonly JsonObject[] {
  const { instructions, turns } = request;
  const system = instructions.length > 0 ? [systemMessage(instructions, unsupported)] : [];
  return [...system, ...turns.flatMap((turn) => renderTurn(turn, model, unsupported))];
}

function renderTurn({ role, parts }: Turn, model: string, unsupported: Unsupported): readonly JsonObject[] {
  if (role === "system") return [systemMessage(parts.filter(isText), unsupported)];
  return role === "assistant" ? renderModel(parts, model, unsupported) : renderUser(parts, unsupported);
}

function systemMessage(parts: readonly TextPart[], unsupported: Unsupported): JsonObject {
  for (const { cache } of parts) unsupported.noteIf("text.cache", cache);
  return { role: "system", content: parts.map(({ text }) => text).join("\n\n") };
}

/** Results come first, each a message: vendors look for them right after the calls. */
function renderUser(parts: readonly Part[], unsupported: Unsupported): readonly JsonObject[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  const media = results.flatMap((result) => result.parts.filter((part) => part.kind !== "text"));
  const content = [...media, ...parts.filter((part) => part.kind !== "tool-result")];
  return [
    ...results.map((result) => renderResult(result, unsupported)),
    ...(content.length > 0 ? [{ role: "user", content: renderContent(content, unsupported) }] : []),
  ];
}

/** Text only: images and files of a result are in the user's message after it. */
function renderResult({ callId, parts, isError, cache }: ToolResultPart, unsupported: Unsupported): JsonObject {
  unsupported.noteIf("tool-result.is-error", isError);
  unsupported.noteIf("tool-result.cache", cache);
  for (const part of parts) if (part.kind === "text") unsupported.noteIf("text.cache", part.cache);
  const texts = parts.filter(isText).map(({ text }) => text);
  const text = texts.length === 0 && parts.length > 0 ? "The result is in the next message." : texts.join("\n\n");
  return { role: "tool", tool_call_id: callId, content: isError === true ? `Error: ${text}` : text };
}

function isText(part: Part): part is TextPart {
  return part.kind === "text";
}

function renderModel(parts: readonly Part[], model: string, unsupported: Unsupported): readonly JsonObject[] {
  for (const part of parts) refuseForeign(part);
  const items = parts.filter((part) => part.kind === "vendor").map((part) => ownItem(part, "chat"));
  const vendorMembers = items.reduce((all, members) => ({ ...all, ...members }), {});
  const calls = parts.filter((part) => part.kind === "tool-call");
  const texts = parts.filter(isText);
  for (const { cache, citations } of texts) {
    unsupported.noteIf("text.cache", cache);
    unsupported.noteIf("text.citations", citations);
  }
  const refusal = parts.flatMap((part) => (part.kind === "refusal" ? [part.text] : [])).join("");
  const images = parts.flatMap((part) => (part.kind === "image" ? [modelImage(part)] : []));
  const message = present({
    content: texts.length > 0 ? texts.map(({ text }) => text).join("") : null,
    ...renderThoughts(parts, calls.length > 0 && !refusesUnknownFields(model), unsupported),
    refusal: refusal === "" ? undefined : refusal,
    tool_calls: calls.length > 0 ? calls.map((call) => renderCall(call, takesNewestFields(model))) : undefined,
    images: images.length > 0 ? images : undefined,
    ...vendorMembers,
  });
  const hasContent = texts.length > 0 || Object.keys(message).length > 1;
  return hasContent ? [{ role: "assistant", ...message }] : [];
}

/** Throws Failure for parts of the model that the wire cannot express. */
function refuseForeign(part: Part): void {
  if (part.kind === "compaction") refuseCompaction();
  if (part.kind === "file" || part.kind === "audio" || part.kind === "video" || part.kind === "tool-result")
    throw unsupportedFailure(`${part.kind} parts of the model`);
}

/**
 * Thoughts go back where the vendor needs them: those that it sealed itself, and the text of those before a tool
 * call, which several vendors demand in the loop and the others pass over. Elsewhere some refuse them.
 */
function renderThoughts(parts: readonly Part[], keepsText: boolean, unsupported: Unsupported): JsonObject {
  const thoughts = parts.filter((part): part is ReasoningPart => part.kind === "reasoning");
  const details = thoughts.flatMap(({ seal }) => ownDetailsOf(seal) ?? []);
  const kept = details.length > 0 || keepsText ? thoughts.filter(({ text }) => text !== "") : [];
  const lost = thoughts.some((part) => !kept.includes(part) && ownDetailsOf(part.seal) === undefined);
  unsupported.noteIf("turn.reasoning", lost);
  return {
    reasoning_content: kept.length > 0 ? kept.map(({ text }) => text).join("") : undefined,
    reasoning_details: details.length > 0 ? details : undefined,
  };
}

/** A call; one of a free-text tool is a function's where the vendor has functions only. */
function renderCall({ id, name, arguments: text, custom, seal }: ToolCallPart, newest: boolean): JsonObject {
  const extra = { extra_content: ownExtra(seal) };
  if (custom === true && newest) return present({ id, type: "custom", custom: { name, input: text }, ...extra });
  const written = custom === true ? JSON.stringify(wrapCustom(text)) : text;
  return present({ id, type: "function", function: { name, arguments: written }, ...extra });
}

/** An image that the model made, as vendors that make them spell it. */
function modelImage({ source, seal }: Extract<Part, { kind: "image" }>): JsonObject {
  return present({ type: "image_url", image_url: { url: urlOf(source) }, extra_content: ownExtra(seal) });
}

/** Parts as a message's content: one text as it is. Throws Failure for what the wire cannot express. */
function renderContent(parts: readonly Part[], unsupported: Unsupported): string | readonly JsonObject[] {
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

function urlOf(source: Source): string {
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
  const isText = source.mediaType.startsWith("text/") || source.mediaType === "application/json";
  if (isText) return fileAsText(Buffer.from(source.data, "base64").toString(), called);
  return { type: "file", file: { filename: called ?? "document.pdf", file_data: writeDataUrl(source) } };
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

/**
 * Differences between vendors of this wire that show in a model's name only: the wire's own vendor has fields that
 * its many followers do not know, and refuses theirs. A name may be after a path (`openai/gpt-5`).
 */

/** Models that take the newest fields: `max_completion_tokens`, free-text tools, a list of allowed tools. */
const newest = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d))/;

/** Models that take a wish for search on the web: all others of the wire's own vendor, and many of others, refuse it. */
const searching = /(?:^|\/)(?:gpt-[^/]*-search|sonar)/;

export function takesNewestFields(model: string): boolean {
  return newest.test(model);
}

export function searchesTheWeb(model: string): boolean {
  return searching.test(model);
}
