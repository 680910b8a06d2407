import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, ownEntry, type Fields, type JsonRecord } from "@modelgate/formats/json";
import { parseCitation, parseContentParts, resultParts, type ReadPart } from "../hub/content.ts";
import type { Citation, Part, Source, ToolResultPart, Signature, ToolCallPart } from "../hub/part.ts";
import {
  envelopeOfOtherPart,
  parseSignature,
  encodeEnvelope,
  renderSignature,
  type Envelope,
} from "../hub/signatures.ts";
import { sourceFromGoogleUri, normalizeMediaType, mediaTypeOfName } from "../hub/sources.ts";
import { renderArguments, parseArguments } from "../hub/tool-calls.ts";
import { unsupportedFailure } from "../hub/request.ts";

/** Matches the steps of tools that the vendor runs. */
const vendorStep =
  /^(?:code_execution|google_search|google_maps|url_context|file_search|mcp_server_tool|retrieval|processing)_(?:call|result)$/;

export function isVendorStep(type: string): boolean {
  return vendorStep.test(type);
}

/** Parses a step of the model; undefined for a step of the client. Throws Failure (400) for an unknown type. */
export function parseModelStep(step: Fields): readonly Part[] | undefined {
  const type = step.needText("type");
  if (isVendorStep(type)) return [{ kind: "vendor", wire: "interactions", value: step.whole() }];
  if (type === "model_output") return parseContent(step, "content");
  if (type === "thought") return [parseReasoning(step)];
  if (type === "function_call") return [parseCall(step)];
  if (type === "user_input" || type === "function_result") return undefined;
  throw step.wrong("type", "a type of step that this gateway knows");
}

function parseCall(step: Fields): Part {
  const [id, name] = [step.needText("id"), step.needText("name")];
  return { kind: "tool-call", id, name, arguments: renderArguments(step.record("arguments")) };
}

function parseReasoning(step: Fields): Part {
  const text = parseContent(step, "summary").flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const signature = parseSignature(step.text("signature") ?? "", "interactions");
  return withoutUndefined({ kind: "reasoning" as const, text: text.join("\n\n"), summary: true, signature });
}

/** Returns the envelope in a `thought` step if its signature belongs to a tool call or to content. */
export function envelopeOfStep({ value: { type, signature } }: Fields): Envelope | undefined {
  return type === "thought" ? envelopeOfOtherPart(signature) : undefined;
}

/** Parses a function's result. An object becomes JSON text. */
export function parseResult(step: Fields): ToolResultPart {
  const result = step.need("result");
  const isObject = isRecord(result) && ownEntry(readers, String(result["type"])) === undefined;
  const parts = isObject
    ? [{ kind: "text", text: JSON.stringify(result) } as const]
    : resultParts(step, "result", parseContent(step, "result"));
  const [name, isError] = [step.text("name"), step.flag("is_error")];
  const callId = step.needText("call_id");
  return withoutUndefined({
    kind: "tool-result" as const,
    callId,
    name,
    parts,
    isError: isError === true ? true : undefined,
  });
}

export function parseContent(fields: Fields, name: string): readonly Part[] {
  return parseContentParts(fields, name, readers);
}

/** Returns true for a list of contents, false for a list of steps. */
export function isContents(input: readonly unknown[]): boolean {
  return input.every((each) => isRecord(each) && ownEntry(readers, String(each["type"])) !== undefined);
}

const details: Readonly<Record<string, string>> = { low: "low", high: "high", ultra_high: "original" };

const readers: Readonly<Record<string, ReadPart>> = {
  text(part) {
    const citations = (part.list("annotations") ?? []).flatMap((value) => parseAnnotation(value));
    return { kind: "text", text: part.text("text") ?? "", ...(citations.length > 0 ? { citations } : {}) };
  },
  image(part) {
    const detail = ownEntry(details, part.text("resolution") ?? "");
    return withoutUndefined({ kind: "image" as const, source: sourceOf(part), detail });
  },
  audio: (part) => ({ kind: "audio", source: sourceOf(part) }),
  document: (part) => ({ kind: "file", source: sourceOf(part) }),
  video: (part) => ({ kind: "video", source: sourceOf(part) }),
};

function sourceOf(part: Fields): Source {
  const [data, type] = [part.text("data"), part.text("mime_type")];
  if (data !== undefined)
    return { kind: "base64", mediaType: normalizeMediaType(type ?? part.needText("mime_type")), data };
  const uri = part.needText("uri");
  return sourceFromGoogleUri(uri, type ?? mediaTypeOfName(uri), "interactions");
}

/** Parses an annotation. Its offsets are left out, because they count bytes, not characters. */
export function parseAnnotation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { url, title, document_uri: document, file_name: file, name }: JsonRecord = value;
  return [parseCitation("interactions", value, { url: url ?? document, title: title ?? file ?? name })];
}

const resolutions: Readonly<Record<string, string>> = { low: "low", high: "high", original: "ultra_high" };

/** Renders a part as a content object; undefined for a part that is a step in this wire. */
export function contentOf(part: Part): JsonRecord | undefined {
  if (part.kind === "text")
    return withoutUndefined({ type: "text", text: part.text, annotations: part.citations?.map(annotationOf) });
  if (part.kind === "refusal") return { type: "text", text: part.text };
  if (part.kind === "image")
    return withoutUndefined({ type: "image", ...mediaOf(part.source), resolution: resolutions[part.detail ?? ""] });
  if (part.kind === "audio" || part.kind === "video") return { type: part.kind, ...mediaOf(part.source) };
  if (part.kind !== "file") return undefined;
  const { source } = part;
  if (source.kind !== "text") return { type: "document", ...mediaOf(source) };
  return { type: "document", mime_type: "text/plain", data: Buffer.from(source.text).toString("base64") };
}

function mediaOf(source: Source): JsonRecord {
  if (source.kind === "base64") return { mime_type: source.mediaType, data: source.data };
  if (source.kind === "url")
    return withoutUndefined({ mime_type: source.mediaType ?? mediaTypeOfName(source.url), uri: source.url });
  if (source.wire !== "interactions") throw unsupportedFailure("file ids of another vendor");
  return withoutUndefined({ mime_type: source.mediaType, uri: source.id });
}

/** Renders a citation as an annotation. */
export function annotationOf({ own, url, title }: Citation): unknown {
  return own?.wire === "interactions" ? own.value : withoutUndefined({ type: "url_citation", url, title });
}

export function callStep(part: ToolCallPart): JsonRecord {
  return { type: "function_call", id: part.id, name: part.name, arguments: parseArguments(part) };
}

/** Renders a part of an answer; empty if this wire cannot express it. */
export function answerSteps(part: Part): readonly JsonRecord[] {
  if (part.kind === "reasoning") {
    const summary = part.text === "" ? undefined : [{ type: "text", text: part.text }];
    return [withoutUndefined({ type: "thought", summary, signature: renderSignature(part.signature, "interactions") })];
  }
  if (part.kind === "vendor") return part.wire === "interactions" && isRecord(part.value) ? [part.value] : [];
  if (part.kind === "tool-call") return [callStep(part), ...signatureSteps(part.signature, part.id)];
  const content = contentOf(part);
  if (content === undefined) return [];
  return [
    { type: "model_output", content: [content] },
    ...signatureSteps("signature" in part ? part.signature : undefined),
  ];
}

/** Renders the signature of a call or of content as a `thought` step, which clients send back. */
export function signatureSteps(signature: Signature | undefined, call?: string): readonly JsonRecord[] {
  if (signature === undefined) return [];
  const envelope = encodeEnvelope({ signature, ...(call === undefined ? { previous: true } : { call }) });
  return [{ type: "thought", signature: envelope }];
}
