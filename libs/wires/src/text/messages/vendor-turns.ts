import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { acceptsSystemMessages } from "../hub/claude.ts";
import { isUnmarked } from "../hub/prompt-cache.ts";
import { unsupportedFailure, type Unsupported, type TextRequest } from "../hub/request.ts";
import { renderPairedMessages, type Message, type MessageBlocks } from "../hub/paired-messages.ts";
import type { ImagePart, Part, ReasoningPart, TextPart, ToolResultPart, FilePart, Source } from "../hub/part.ts";
import type { PartRenderers } from "../hub/render.ts";
import { isBlank, requireItemOfWire, refuseCompaction, renderPartBy, toValidId } from "../hub/render.ts";
import { isRedacted, ownSignature } from "../hub/signatures.ts";
import { parseArguments } from "../hub/tool-calls.ts";
import { renderCache, ownCitations } from "./parts.ts";

interface RenderedTurns {
  readonly system: string | readonly JsonRecord[] | undefined;
  readonly messages: readonly Message[];
}

export function renderTurns(request: TextRequest, model: string, unsupported: Unsupported): RenderedTurns {
  const render = (part: Part): readonly JsonRecord[] => renderPart(part, unsupported);
  const { system, messages } = renderPairedMessages(request, unsupported, render, {
    form: messagesBlocks,
    acceptsSystem: acceptsSystemMessages(model),
  });
  return { system: systemOf(system), messages };
}

function systemOf(blocks: readonly JsonRecord[]): RenderedTurns["system"] {
  const [first] = blocks;
  if (first === undefined) return undefined;
  const { text, cache_control: cache } = first;
  return blocks.length === 1 && typeof text === "string" && cache === undefined ? text : blocks;
}

export const messagesBlocks: MessageBlocks = {
  text: (text) => ({ type: "text", text }),
  isReasoning: ({ type }) => type === "thinking" || type === "redacted_thinking",
  callOf: ({ type, id }) => (type === "tool_use" ? id : undefined),
  resultOf: ({ type, tool_use_id: id }) => (type === "tool_result" ? id : undefined),
};

const partRenderers: PartRenderers<Unsupported> = {
  text: renderText,
  refusal: ({ text }) => (isBlank(text) ? [] : [{ type: "text", text }]),
  image: renderImage,
  file: renderDocument,
  audio: () => {
    throw unsupportedFailure("audio parts");
  },
  video: () => {
    throw unsupportedFailure("video parts");
  },
  reasoning: renderReasoning,
  "tool-call": (part) => [{ type: "tool_use", id: validId(part.id), name: part.name, input: parseArguments(part) }],
  "tool-result": renderResult,
  compaction: refuseCompaction,
  vendor: (part) => [requireItemOfWire(part, "messages")],
};

function renderPart(part: Part, unsupported: Unsupported): readonly JsonRecord[] {
  return renderPartBy(partRenderers, part, unsupported);
}

function renderText({ text, cache, citations }: TextPart, unsupported: Unsupported): readonly JsonRecord[] {
  if (isBlank(text)) return [];
  const nativeCitations = ownCitations(citations ?? []);
  unsupported.noteIf("text.citations", nativeCitations.length < (citations?.length ?? 0));
  return [
    withoutUndefined({
      type: "text",
      text,
      citations: nativeCitations.length > 0 ? nativeCitations : undefined,
      cache_control: renderCache(cache),
    }),
  ];
}

function renderImage({ source, detail, cache }: ImagePart, unsupported: Unsupported): readonly JsonRecord[] {
  unsupported.noteIf("image.detail", detail);
  return [withoutUndefined({ type: "image", source: renderImageSource(source), cache_control: renderCache(cache) })];
}

/** Renders reasoning. The vendor refuses reasoning that it did not sign. */
function renderReasoning({ text, signature }: ReasoningPart, unsupported: Unsupported): readonly JsonRecord[] {
  const value = ownSignature(signature, "messages");
  unsupported.noteIf("turn.reasoning", value === undefined);
  if (value === undefined) return [];
  return isRedacted(signature, "messages")
    ? [{ type: "redacted_thinking", data: value }]
    : [{ type: "thinking", thinking: text, signature: value }];
}

function validId(id: string): string {
  return toValidId(id, /^[A-Za-z0-9_-]+$/, "toolu");
}

function renderResult(
  { callId, parts, isError, cache }: ToolResultPart,
  unsupported: Unsupported,
): readonly JsonRecord[] {
  const [only] = parts;
  const plain = parts.length === 1 && only?.kind === "text" && only.cache === undefined ? only.text : undefined;
  const content = plain ?? parts.flatMap((part) => renderPart(part, unsupported));
  return [
    withoutUndefined({
      type: "tool_result",
      tool_use_id: validId(callId),
      content: content.length > 0 ? content : undefined,
      is_error: isError === true ? true : undefined,
      cache_control: renderCache(cache),
    }),
  ];
}

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Media types of text that do not begin with `text/`. */
const textTypes: ReadonlySet<string> = new Set(["application/json", "application/xml", "application/yaml"]);

function renderImageSource(source: Source): JsonRecord {
  if (source.kind !== "base64") return addressSource(source);
  const mediaType = source.mediaType;
  if (!imageTypes.has(mediaType)) throw unsupportedFailure(`${mediaType} parts`);
  return { type: "base64", media_type: mediaType, data: source.data };
}

function renderDocument(part: FilePart, unsupported: Unsupported): readonly JsonRecord[] {
  const { source, name, title, context, citations, cache } = part;
  unsupported.noteIf("file.name", title === undefined ? undefined : name);
  return [
    withoutUndefined({
      type: "document",
      source: fileSource(source),
      title: title ?? name,
      context,
      citations: citations === true ? { enabled: true } : undefined,
      cache_control: renderCache(cache),
    }),
  ];
}

function fileSource(source: FilePart["source"]): JsonRecord {
  if (source.kind === "text") return textSource(source.text);
  if (source.kind !== "base64") return addressSource(source);
  const { mediaType, data } = source;
  if (mediaType === "application/pdf") return { type: "base64", media_type: mediaType, data };
  if (!mediaType.startsWith("text/") && !textTypes.has(mediaType)) throw unsupportedFailure(`${mediaType} parts`);
  return textSource(Buffer.from(data, "base64").toString());
}

function textSource(data: string): JsonRecord {
  return { type: "text", media_type: "text/plain", data };
}

function addressSource(source: Exclude<Source, { kind: "base64" }>): JsonRecord {
  if (source.kind === "url") return { type: "url", url: source.url };
  if (source.wire !== "messages") throw unsupportedFailure("file ids of another vendor");
  return { type: "file", file_id: source.id };
}

const unmarkableTypes: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/** Returns the maximum number of marks that `withCacheMarks` adds. */
export function automaticMarks(request: TextRequest): 0 | 2 {
  const { cacheKey, cacheRetention, cacheMode, turns } = request;
  if (cacheMode === "explicit") return 0;
  if (cacheKey !== undefined || cacheRetention !== undefined) return 2;
  // Vendors of the client's wire may cache without marks. The next request of this conversation contains the same
  // prompt, so marks give the client the same saving.
  return cacheMode === "automatic" && turns.some(({ role }) => role === "assistant") && isUnmarked(request) ? 2 : 0;
}

/** Cache lifetimes of other wires that are much longer than five minutes. */
const longRetentions: ReadonlySet<string | undefined> = new Set(["24h", "12h"]);

/** Adds cache marks to the end of the instructions and to the end of the prompt. */
export function withCacheMarks({ system, messages }: RenderedTurns, request: TextRequest): RenderedTurns {
  if (automaticMarks(request) === 0) return { system, messages };
  const cache_control = renderCache({ lifetime: longRetentions.has(request.cacheRetention) ? "1h" : undefined });
  const marked = (blocks: readonly JsonRecord[]): readonly JsonRecord[] => {
    const position = blocks.findLastIndex(({ type }) => !unmarkableTypes.has(type));
    return blocks.map((block, index) => (index === position ? { cache_control, ...block } : block));
  };
  const last = messages.length - 1;
  return {
    system:
      system === undefined ? undefined : marked(typeof system === "string" ? [{ type: "text", text: system }] : system),
    messages: messages.map((message, index) =>
      index === last ? { ...message, content: marked(message.content) } : message,
    ),
  };
}
