import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "../hub/request.ts";
import { acceptsNewestFields, refusesUnknownFields } from "../hub/openai-models.ts";
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
import { pairedTurns } from "../hub/paired-turns.ts";
import { isBreakpoint, renderBreakpoint } from "../hub/prompt-cache.ts";
import { requireItemOfWire, refuseCompaction } from "../hub/render.ts";
import { writeDataUrl, audioBytes } from "../hub/sources.ts";
import { wrapCustom } from "../hub/tool-calls.ts";
import { vendorDetails, vendorExtraContent } from "./reasoning-details.ts";

interface TurnTarget {
  readonly model: string;
  /** True if the vendor needs the reasoning of all turns. */
  readonly needsReasoning?: boolean | undefined;
}

/** Renders messages. The instructions become one `system` message, which all vendors accept. */
export function renderTurns(
  { instructions, turns }: TextRequest,
  target: TurnTarget,
  unsupported: Unsupported,
): readonly JsonRecord[] {
  const system = instructions.length > 0 ? [systemMessage(instructions, unsupported)] : [];
  return [...system, ...pairedTurns(turns).flatMap((turn) => renderTurn(turn, target, unsupported))];
}

function renderTurn({ role, parts }: Turn, target: TurnTarget, unsupported: Unsupported): readonly JsonRecord[] {
  if (role === "system") return [systemMessage(parts.filter(isText), unsupported)];
  return role === "assistant" ? renderModel(parts, target, unsupported) : renderUser(parts, unsupported);
}

function systemMessage(parts: readonly TextPart[], unsupported: Unsupported): JsonRecord {
  if (parts.some(isBreakpoint))
    return { role: "system", content: parts.map((part) => renderInputText(part, unsupported)) };
  for (const { cache } of parts) unsupported.noteIf("text.cache", cache);
  return { role: "system", content: parts.map(({ text }) => text).join("\n\n") };
}

/** Renders a user's turn. The results of tools come first, because vendors expect them directly after the calls. */
function renderUser(parts: readonly Part[], unsupported: Unsupported): readonly JsonRecord[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  const media = results.flatMap((result) => result.parts.filter((part) => part.kind !== "text"));
  const content = [...media, ...parts.filter((part) => part.kind !== "tool-result")];
  return [
    ...results.map((result) => renderResult(result, unsupported)),
    ...(content.length > 0 ? [{ role: "user", content: renderContent(content, unsupported) }] : []),
  ];
}

/** Renders the text of a tool's result. Its images and files are sent in the user's next message. */
function renderResult({ callId, parts, isError, cache }: ToolResultPart, unsupported: Unsupported): JsonRecord {
  unsupported.noteIf("tool-result.is-error", isError);
  unsupported.noteIf("tool-result.cache", cache);
  const texts = parts.filter(isText).map(({ text }) => text);
  if (isError !== true && parts.filter(isText).some(isBreakpoint)) {
    const content = parts.filter(isText).map((part) => renderInputText(part, unsupported));
    return { role: "tool", tool_call_id: callId, content };
  }
  for (const part of parts.filter(isText)) unsupported.noteIf("text.cache", part.cache);
  const text = texts.length === 0 && parts.length > 0 ? "The result is in the next message." : texts.join("\n\n");
  return { role: "tool", tool_call_id: callId, content: isError === true ? `Error: ${text}` : text };
}

function isText(part: Part): part is TextPart {
  return part.kind === "text";
}

function renderModel(
  parts: readonly Part[],
  { model, needsReasoning }: TurnTarget,
  unsupported: Unsupported,
): readonly JsonRecord[] {
  for (const part of parts) refuseForeignPart(part);
  const items = parts.filter((part) => part.kind === "vendor").map((part) => requireItemOfWire(part, "chat"));
  const vendorMembers = items.reduce((all, members) => ({ ...all, ...members }), {});
  const calls = parts.filter((part) => part.kind === "tool-call");
  const texts = parts.filter(isText);
  for (const text of texts) unsupported.noteMembers("text", text, ["cache", "citations"]);
  const refusal = parts.flatMap((part) => (part.kind === "refusal" ? [part.text] : [])).join("");
  const images = parts.flatMap((part) => (part.kind === "image" ? [modelImage(part)] : []));
  const content = joinTexts(parts) || null;
  const keepsReasoning = calls.length > 0 || (needsReasoning === true && content !== null);
  const message = withoutUndefined({
    content,
    ...renderReasoning(parts, keepsReasoning && !refusesUnknownFields(model), unsupported),
    refusal: refusal === "" ? undefined : refusal,
    tool_calls: calls.length > 0 ? calls.map((call) => renderCall(call, acceptsNewestFields(model))) : undefined,
    images: images.length > 0 ? images : undefined,
    ...vendorMembers,
  });
  const hasContent = message.content !== null || Object.keys(message).length > 1;
  return hasContent ? [{ role: "assistant", ...message }] : [];
}

function joinTexts(parts: readonly Part[]): string {
  let text = "";
  for (const [index, part] of parts.entries()) {
    if (part.kind !== "text") continue;
    text += text === "" || parts[index - 1]?.kind === "text" ? part.text : `\n\n${part.text}`;
  }
  return text;
}

function refuseForeignPart(part: Part): void {
  if (part.kind === "compaction") refuseCompaction();
  if (part.kind === "file" || part.kind === "audio" || part.kind === "video" || part.kind === "tool-result")
    throw unsupportedFailure(`${part.kind} parts of the model`);
}

/** Renders reasoning. Some vendors require reasoning text before a call, and some refuse reasoning elsewhere. */
function renderReasoning(parts: readonly Part[], keepsText: boolean, unsupported: Unsupported): JsonRecord {
  const reasoning = parts.filter((part): part is ReasoningPart => part.kind === "reasoning");
  const details = reasoning.flatMap(({ signature }) => vendorDetails(signature) ?? []);
  const renderedReasoning = details.length > 0 || keepsText ? reasoning.filter(({ text }) => text !== "") : [];
  const isUnsupported = reasoning.some(
    (part) => !renderedReasoning.includes(part) && vendorDetails(part.signature) === undefined,
  );
  unsupported.noteIf("turn.reasoning", isUnsupported);
  return {
    reasoning_content: renderedReasoning.length > 0 ? renderedReasoning.map(({ text }) => text).join("") : undefined,
    reasoning_details: details.length > 0 ? details : undefined,
  };
}

/** Renders a call. A call of a free-text tool becomes a call of a function for models without such tools. */
function renderCall({ id, name, arguments: text, custom, signature }: ToolCallPart, newest: boolean): JsonRecord {
  const extra = { extra_content: vendorExtraContent(signature) };
  if (custom === true && newest)
    return withoutUndefined({ id, type: "custom", custom: { name, input: text }, ...extra });
  const renderedArguments = custom === true ? JSON.stringify(wrapCustom(text)) : text;
  return withoutUndefined({ id, type: "function", function: { name, arguments: renderedArguments }, ...extra });
}

function modelImage({ source, signature }: Extract<Part, { kind: "image" }>): JsonRecord {
  return withoutUndefined({
    type: "image_url",
    image_url: { url: urlOf(source) },
    extra_content: vendorExtraContent(signature),
  });
}

function renderContent(parts: readonly Part[], unsupported: Unsupported): string | readonly JsonRecord[] {
  const rendered = parts.map((part) => renderInputPart(part, unsupported));
  const [only] = parts;
  const isPlain = parts.length === 1 && only?.kind === "text" && !isBreakpoint(only);
  return isPlain ? only.text : rendered;
}

function renderInputPart(part: Part, unsupported: Unsupported): JsonRecord {
  if (part.kind === "text") return renderInputText(part, unsupported);
  if (part.kind === "image") return renderInputImage(part, unsupported);
  if (part.kind === "file") return renderInputFile(part, unsupported);
  if (part.kind === "audio") return { type: "input_audio", input_audio: audioBytes(part.source) };
  if (part.kind === "video") return { type: "video_url", video_url: { url: urlOf(part.source) } };
  if (part.kind === "refusal") return { type: "text", text: part.text };
  throw unsupportedFailure(`${part.kind} parts`);
}

function renderInputText({ text, cache }: TextPart, unsupported: Unsupported): JsonRecord {
  return { type: "text", text, ...renderBreakpoint(cache, "text.cache", unsupported) };
}

/** Values of an image's `detail` in this wire. */
const imageDetails: ReadonlySet<string> = new Set(["auto", "low", "high"]);

function renderInputImage({ source, detail, cache }: ImagePart, unsupported: Unsupported): JsonRecord {
  const breakpoint = renderBreakpoint(cache, "image.cache", unsupported);
  const isKnown = detail === undefined || imageDetails.has(detail);
  unsupported.noteIf("image.detail", !isKnown);
  const image = withoutUndefined({ url: urlOf(source), detail: isKnown ? detail : "high" });
  return { type: "image_url", image_url: image, ...breakpoint };
}

function urlOf(source: Source): string {
  if (source.kind === "file-id") throw unsupportedFailure("file ids of another vendor");
  return source.kind === "url" ? source.url : writeDataUrl(source);
}

/** Renders a file. Vendors accept PDF, but few accept a text file, so its text is sent. */
export function renderInputFile(file: FilePart, unsupported: Unsupported): JsonRecord {
  const { source, name, title, cache } = file;
  unsupported.noteMembers("file", file, ["title", "context", "citations"]);
  const breakpoint = renderBreakpoint(cache, "file.cache", unsupported);
  const fileName = name ?? title;
  if (source.kind === "text") return { ...fileAsText(source.text, fileName), ...breakpoint };
  if (source.kind === "file-id") throw unsupportedFailure("file ids of another vendor");
  if (source.kind === "url") throw unsupportedFailure("files by address");
  const isText = source.mediaType.startsWith("text/") || source.mediaType === "application/json";
  if (isText) return { ...fileAsText(Buffer.from(source.data, "base64").toString(), fileName), ...breakpoint };
  const member = { filename: fileName ?? "document.pdf", file_data: writeDataUrl(source) };
  return { type: "file", file: member, ...breakpoint };
}

function fileAsText(text: string, name = "document.txt"): JsonRecord {
  const fence = chooseFence(text);
  return { type: "text", text: `${name}\n${fence}\n${text}\n${fence}` };
}

function chooseFence(text: string): string {
  let fence = "```";
  while (text.includes(fence)) fence += "`";
  return fence;
}

/** Models that accept web search options; many others refuse them. */
const webSearchModels = /(?:^|\/)(?:gpt-[^/]*-search|sonar)/;

export function searchesTheWeb(model: string): boolean {
  return webSearchModels.test(model);
}
