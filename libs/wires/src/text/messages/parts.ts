import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, ownEntry, asRecords, type Fields, type JsonRecord } from "@modelgate/formats/json";
import type { ImagePart, Part, ToolResultPart, FilePart, Source, Citation } from "../hub/part.ts";
import { parseSignature, encodeEnvelope, decodeEnvelope, redactedKind, type Envelope } from "../hub/signatures.ts";
import { normalizeMediaType } from "../hub/sources.ts";
import { renderArguments } from "../hub/tool-calls.ts";
import { attachSignature } from "../hub/content.ts";
import type { CacheHint } from "../hub/request.ts";

const maxBlocks = 4_096;

type CallNames = Map<string, string>;

type ReadBlock = (block: Fields, names: CallNames) => readonly Part[];

const readers: Readonly<Record<string, ReadBlock>> = {
  text: readText,
  image: (block) => [{ kind: "image", source: imageSource(block.needFields("source")), ...parseCache(block) }],
  document: (block) => parseDocument(block, maxBlocks),
  tool_use: readCall,
  tool_result: readResult,
  thinking: readThinking,
};

/** Parses text or blocks. Unknown blocks become vendor parts. */
export function parseContent(fields: Fields, name: string, names: CallNames): readonly Part[] {
  const content = fields.raw(name);
  if (content === undefined) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  const parts: Part[] = [];
  const envelopes: Envelope[] = [];
  for (const block of fields.each(name, maxBlocks)) {
    const type = block.needText("type");
    if (type === "redacted_thinking") readRedacted(block, parts, envelopes);
    else {
      const read = ownEntry(readers, type);
      parts.push(...(read?.(block, names) ?? [{ kind: "vendor", wire: "messages", value: block.whole() } as const]));
    }
  }
  for (const envelope of envelopes) attachSignature(parts, envelope);
  return parts;
}

/** Reads a `redacted_thinking` block: redacted reasoning, or the signature of another part. */
function readRedacted(block: Fields, parts: Part[], envelopes: Envelope[]): void {
  const envelope = readEnvelope(block.needText("data"));
  const { signature, call, previous } = envelope;
  const last = parts.at(-1);
  if (call !== undefined) envelopes.push(envelope);
  else if (previous !== true) parts.push({ kind: "reasoning", text: "", signature });
  else if (last?.kind === "text" || last?.kind === "image") parts[parts.length - 1] = { ...last, signature };
}

function readText(block: Fields): readonly Part[] {
  const citations = (block.list("citations") ?? []).flatMap(parseCitation);
  const text = block.needText("text");
  return [{ kind: "text", text, ...(citations.length > 0 ? { citations } : {}), ...parseCache(block) }];
}

function readCall(block: Fields, names: CallNames): readonly Part[] {
  // `caller` has a meaning only for vendors of this wire. A call in the history needs no cache mark.
  block.ignore("caller");
  const id = block.needText("id");
  const name = block.needText("name");
  names.set(id, name);
  return [{ kind: "tool-call", id, name, arguments: renderArguments(block.record("input")) }];
}

function readThinking(block: Fields): readonly Part[] {
  const signature = parseSignature(block.text("signature") ?? "", "messages");
  const text = block.text("thinking") ?? "";
  return [withoutUndefined({ kind: "reasoning", text, signature })];
}

function readResult(block: Fields, names: CallNames): readonly Part[] {
  const callId = block.needText("tool_use_id");
  const name = names.get(callId);
  return [
    withoutUndefined({
      kind: "tool-result",
      callId,
      name,
      parts: resultParts(block, names),
      ...(block.flag("is_error") === true ? { isError: true } : {}),
      ...parseCache(block),
    }),
  ];
}

function resultParts(block: Fields, names: CallNames): ToolResultPart["parts"] {
  return parseContent(block, "content", names).flatMap((part) => {
    if (part.kind === "text" || part.kind === "image" || part.kind === "file") return [part];
    const text = part.kind === "vendor" ? searchResultText(part.value) : undefined;
    if (text !== undefined) return [{ kind: "text", text }];
    throw block.wrong("content", "text, images and documents");
  });
}

/** Parses a document. Its images become separate parts after the file. */
function parseDocument(block: Fields, maxBlocks: number): readonly (FilePart | ImagePart)[] {
  const source = block.needFields("source");
  const type = source.needOneOf("type", ["base64", "text", "url", "content", "file"]);
  const { text, images } = type === "content" ? contentOf(source, maxBlocks) : noContent;
  const file: FilePart = {
    kind: "file",
    source: type === "content" ? { kind: "text", text } : fileSource(source, type),
    ...withoutUndefined({
      title: block.text("title"),
      context: block.text("context"),
      citations: block.fields("citations")?.flag("enabled") === true ? true : undefined,
    }),
    ...parseCache(block),
  };
  return [file, ...images];
}

function fileSource(source: Fields, type: "base64" | "text" | "url" | "file"): FilePart["source"] {
  if (type === "base64") return bytesOf(source);
  if (type !== "text") return addressOf(source, type);
  source.ignore("media_type");
  return { kind: "text", text: source.needText("data") };
}

interface DocumentContent {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

const noContent: DocumentContent = { text: "", images: [] };

function contentOf(source: Fields, maxBlocks: number): DocumentContent {
  const content = source.raw("content");
  if (typeof content === "string") return { text: content, images: [] };
  const texts: string[] = [];
  const images: ImagePart[] = [];
  for (const block of source.each("content", maxBlocks)) {
    const type = block.oneOf("type", ["text", "image"]);
    const picture = block.fields("source");
    if (type === "text") texts.push(block.needText("text"));
    else if (type === "image" && picture !== undefined) images.push({ kind: "image", source: imageSource(picture) });
    else throw block.wrong("type", "text, or an image with its source");
  }
  return { text: texts.join("\n\n"), images };
}

/** Renders a client's search result as text; undefined for any other block. */
function searchResultText(block: unknown): string | undefined {
  if (!isRecord(block) || block["type"] !== "search_result") return undefined;
  const { title, source, content } = block;
  const texts = asRecords(content).map(({ text }) => text);
  return [title, source, ...texts].filter((text) => typeof text === "string" && text !== "").join("\n\n");
}

function imageSource(source: Fields): Source {
  const type = source.needOneOf("type", ["base64", "url", "file"]);
  return type === "base64" ? bytesOf(source) : addressOf(source, type);
}

function bytesOf(source: Fields): Source {
  return {
    kind: "base64",
    mediaType: normalizeMediaType(source.needText("media_type")),
    data: source.needText("data"),
  };
}

function addressOf(source: Fields, type: "url" | "file"): Source {
  if (type === "url") return { kind: "url", url: source.needText("url") };
  return { kind: "file-id", wire: "messages", id: source.needText("file_id") };
}

/** Creates the block that contains another wire's signature of a text or call. Clients send it back. */
export function signatureBlock(envelope: Envelope): JsonRecord {
  return { type: "redacted_thinking", data: encodeEnvelope(envelope) };
}

/** Reads the data of a `redacted_thinking` block. */
export function readEnvelope(data: string): Envelope {
  return decodeEnvelope(data) ?? { signature: { wire: "messages", kind: redactedKind, value: data } };
}

/** Value of `encrypted_index` in a citation that came from another wire. */
const noIndex = "";

/** Parses a citation, and stores its complete value in `own`, for vendors and clients of this wire. */
export function parseCitation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { url, source, title, document_title: document, cited_text: citedText, encrypted_index: index } = value;
  return [
    withoutUndefined({
      url: textOr(url, source),
      title: textOr(title, document),
      citedText: textOr(citedText),
      own: index === noIndex ? undefined : ({ wire: "messages", value } as const),
    }),
  ];
}

function textOr(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

/** Renders a citation. A citation from another wire is left out unless it has a URL. */
export function renderCitation({ own, url, title, citedText }: Citation): readonly unknown[] {
  if (own?.wire === "messages") return [own.value];
  if (url === undefined) return [];
  const cited: JsonRecord = {
    type: "web_search_result_location",
    url,
    title: title ?? null,
    encrypted_index: noIndex,
    cited_text: citedText ?? "",
  };
  return [cited];
}

/** Returns the citations that the vendor accepts: those that came from this wire. */
export function ownCitations(citations: readonly Citation[]): readonly unknown[] {
  return citations.flatMap(({ own }) => (own?.wire === "messages" ? [own.value] : []));
}

/** Parses `cache_control` of a block or tool. */
export function parseCache(fields: Fields): { readonly cache?: CacheHint } {
  const control = fields.fields("cache_control");
  if (control === undefined) return {};
  control.oneOf("type", ["ephemeral"]);
  return { cache: withoutUndefined({ lifetime: control.oneOf("ttl", ["5m", "1h"]) }) };
}

export function renderCache(cache: CacheHint | undefined): JsonRecord | undefined {
  return cache === undefined ? undefined : withoutUndefined({ type: "ephemeral", ttl: cache.lifetime });
}
