import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure } from "../hub/request.ts";
import type { Citation, Part, Signature, Source, ToolCallPart } from "../hub/part.ts";
import { encodeEnvelope, renderSignature } from "../hub/signatures.ts";
import { mediaTypeOfName } from "../hub/sources.ts";
import { parseArguments } from "../hub/tool-calls.ts";

const resolutions: Readonly<Record<string, string>> = { low: "low", high: "high", original: "ultra_high" };

/** Renders a part as a content object of the Interactions API; undefined for a part that is a step there. */
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

/** Renders a citation as an annotation: unchanged if this wire's vendor made it, else by its address and title. */
export function annotationOf({ own, url, title }: Citation): unknown {
  return own?.wire === "interactions" ? own.value : withoutUndefined({ type: "url_citation", url, title });
}

export function callStep(part: ToolCallPart): JsonRecord {
  return { type: "function_call", id: part.id, name: part.name, arguments: parseArguments(part) };
}

/** Renders a part of an answer for a client; empty if this wire cannot express it. */
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

/** Renders a `thought` step that carries another wire's signature of a call or content; clients send it back. */
export function signatureSteps(signature: Signature | undefined, call?: string): readonly JsonRecord[] {
  if (signature === undefined) return [];
  const envelope = encodeEnvelope({ signature, ...(call === undefined ? { previous: true } : { call }) });
  return [{ type: "thought", signature: envelope }];
}
