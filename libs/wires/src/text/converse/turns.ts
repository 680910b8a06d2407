import { withoutUndefined } from "@modelgate/contracts";
import { memberOf, isRecord, ownEntry, type JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest, type CacheHint } from "../hub/request.ts";
import { renderPairedMessages, type Message, type MessageBlocks } from "../hub/paired-messages.ts";
import type {
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  Source,
  Signature,
} from "../hub/part.ts";
import type { PartRenderers } from "../hub/render.ts";
import { isBlank, requireItemOfWire, refuseCompaction, renderPartBy, toValidId } from "../hub/render.ts";
import { isRedacted, ownSignature, redactedKind, signatureKind } from "../hub/signatures.ts";
import { parseArguments } from "../hub/tool-calls.ts";

export function renderTurns(clientRequest: TextRequest, model: string, context: ConversePartContext) {
  const render = (part: Part): readonly JsonRecord[] => renderPart(part, context);
  const request = modelsWithImageResults.test(model) ? clientRequest : withImagesAfterResults(clientRequest);
  const { system, messages } = renderPairedMessages(request, context.unsupported, render, { form: converseBlocks });
  return { system: system.length > 0 ? system : undefined, messages: messages.map(withDocumentName) };
}

/** Matches models that accept images in the results of tools (AWS, `ToolResultContentBlock`). */
const modelsWithImageResults = /claude|nova|llama-?4/;

/** Moves the images of tool results into the user's turn, after their result. */
function withImagesAfterResults(request: TextRequest): TextRequest {
  const moveImages = (part: Part): readonly Part[] => {
    if (part.kind !== "tool-result") return [part];
    const images = part.parts.filter(({ kind }) => kind === "image");
    if (images.length === 0) return [part];
    const others = part.parts.filter(({ kind }) => kind !== "image");
    const reference = { kind: "text", text: "The result is in the images of this message." } as const;
    return [{ ...part, parts: others.length > 0 ? others : [reference] }, ...images];
  };
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.flatMap(moveImages) })) };
}

/** Adds the name of a document as text to a message without text, because the vendor refuses a document alone. */
function withDocumentName(message: Message): Message {
  const { document } = message.content.find((block) => isRecord(block["document"])) ?? {};
  if (!isRecord(document) || message.content.some((block) => "text" in block)) return message;
  return { ...message, content: [...message.content, { text: String(document["name"]) }] };
}

export const converseBlocks: MessageBlocks = {
  text: (text) => ({ text }),
  isReasoning: ({ reasoningContent }) => isRecord(reasoningContent),
  callOf: ({ toolUse }) => memberOf(toolUse, "toolUseId"),
  resultOf: ({ toolResult }) => memberOf(toolResult, "toolUseId"),
};

export interface ConversePartContext {
  readonly unsupported: Unsupported;
  readonly names: DocumentNames;
  readonly cachePoints: boolean;
}

const partRenderers: PartRenderers<ConversePartContext> = {
  text: renderText,
  refusal: ({ text }) => (isBlank(text) ? [] : [{ text }]),
  image: renderImage,
  file: (part, context) =>
    withCachePoint([renderDocument(part, context.names.uniqueNameOf(part))], part.cache, context),
  audio: ({ source }) => [renderMedia("audio", source)],
  video: ({ source }) => [renderMedia("video", source)],
  reasoning: renderReasoning,
  "tool-call": (part) => [{ toolUse: { toolUseId: validId(part.id), name: part.name, input: parseArguments(part) } }],
  "tool-result": renderResult,
  compaction: refuseCompaction,
  vendor: (part) => [requireItemOfWire(part, "converse")],
};

function renderPart(part: Part, context: ConversePartContext): readonly JsonRecord[] {
  return renderPartBy(partRenderers, part, context);
}

function renderText({ text, cache, citations }: TextPart, context: ConversePartContext): readonly JsonRecord[] {
  context.unsupported.noteIf("text.citations", citations !== undefined && citations.length > 0);
  return isBlank(text) ? [] : withCachePoint([{ text }], cache, context);
}

function renderImage({ source, detail, cache }: ImagePart, context: ConversePartContext): readonly JsonRecord[] {
  context.unsupported.noteIf("image.detail", detail);
  return withCachePoint([renderMedia("image", source)], cache, context);
}

function renderReasoning(
  { text, signature }: ReasoningPart,
  { unsupported }: ConversePartContext,
): readonly JsonRecord[] {
  const value = ownSignature(signature, "converse");
  unsupported.noteIf("turn.reasoning", value === undefined);
  if (value === undefined) return [];
  const thought = isRedacted(signature, "converse")
    ? { redactedContent: value }
    : { reasoningText: { text, signature: value } };
  return [{ reasoningContent: thought }];
}

function validId(id: string): string {
  return toValidId(id, /^[A-Za-z0-9_-]{1,64}$/, "tooluse");
}

function renderResult(
  { callId, parts, isError, cache }: ToolResultPart,
  context: ConversePartContext,
): readonly JsonRecord[] {
  const content = parts.flatMap((part) => renderPart(part, { ...context, cachePoints: false }));
  const toolResult = withoutUndefined({
    toolUseId: validId(callId),
    // The vendor refuses an empty result.
    content: content.length > 0 ? content : [{ json: {} }],
    status: isError === true ? "error" : undefined,
  });
  return withCachePoint([{ toolResult }], cache, context);
}

const imageFormats: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const videoFormats: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "video/x-matroska": "mkv",
  "video/mpeg": "mpeg",
  "video/x-flv": "flv",
  "video/x-ms-wmv": "wmv",
  "video/3gpp": "three_gp",
};

const audioFormats: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/aac": "aac",
  "audio/opus": "opus",
};

const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/json": "txt",
  "application/xml": "txt",
  "application/yaml": "txt",
};

const formats = { image: imageFormats, video: videoFormats, audio: audioFormats } as const;

/** Renders the bytes of an image, video or speech. The vendor does not fetch addresses. */
function renderMedia(kind: keyof typeof formats, source: Source): JsonRecord {
  const { mediaType, data } = requireBase64(kind, source);
  const format = ownEntry(formats[kind], mediaType);
  if (format === undefined) throw unsupportedFailure(`${mediaType} parts`);
  return { [kind]: { format, source: { bytes: data } } };
}

function renderDocument({ source, context, citations }: FilePart, name: string): JsonRecord {
  return {
    document: withoutUndefined({
      ...renderDocumentSource(source),
      name,
      context,
      citations: citations === true ? { enabled: true } : undefined,
    }),
  };
}

function renderDocumentSource(source: FilePart["source"]): JsonRecord {
  if (source.kind === "text") return { format: "txt", source: { bytes: Buffer.from(source.text).toString("base64") } };
  const { mediaType, data } = requireBase64("file", source);
  const format = ownEntry(documentFormats, mediaType) ?? (mediaType.startsWith("text/") ? "txt" : undefined);
  if (format === undefined) throw unsupportedFailure(`${mediaType} parts`);
  return { format, source: { bytes: data } };
}

function requireBase64(kind: string, source: Source): Extract<Source, { kind: "base64" }> {
  if (source.kind === "base64") return source;
  throw unsupportedFailure(source.kind === "url" ? `${kind} parts by address` : "file ids of another vendor");
}

/** Creates unique names for documents. The vendor refuses duplicates and some characters. */
export class DocumentNames {
  readonly #used = new Set<string>();

  uniqueNameOf({ title, name }: Pick<FilePart, "title" | "name">): string {
    const cleaned = (title ?? name ?? "")
      .replaceAll(/[^\p{L}\p{N}\s()[\]-]/gu, "-")
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, maxNameCharacters);
    const plain = cleaned === "" ? "document" : cleaned;
    let unique = plain;
    for (let number = 2; this.#used.has(unique); number++) unique = `${plain} (${number})`;
    this.#used.add(unique);
    return unique;
  }
}

/** The vendor's maximum is 200, and a number may be appended. */
const maxNameCharacters = 190;

export function withCachePoint(
  blocks: readonly JsonRecord[],
  cache: CacheHint | undefined,
  { cachePoints, unsupported }: { readonly cachePoints: boolean; readonly unsupported: Unsupported },
): readonly JsonRecord[] {
  if (cache === undefined || blocks.length === 0) return blocks;
  if (cachePoints) return [...blocks, { cachePoint: withoutUndefined({ type: "default", ttl: cache.lifetime }) }];
  unsupported.note("cache");
  return blocks;
}

/** Reads the signature of reasoning. Some models do not sign it. */
export function parseSignature(value: unknown): Signature | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return { wire: "converse", kind: signatureKind, value };
}

/** Creates the signature of redacted reasoning. `data` is Base64. */
export function redactedSignature(data: string): Signature {
  return { wire: "converse", kind: redactedKind, value: data };
}
