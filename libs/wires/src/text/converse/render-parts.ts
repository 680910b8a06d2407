import { present } from "@modelgate/contracts";
import { createHash } from "node:crypto";
import { isRecord } from "../../json/fields.ts";
import { argsOf } from "../hub/call-arguments.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { FilePart, ImagePart, Part, ReasoningPart, TextPart, ToolResultPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { ownSeal } from "../hub/seals.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import { withCachePoint } from "./cache.ts";
import { renderDocument, renderMedia, type DocumentNames } from "./render-documents.ts";
import { isRedacted } from "./seals.ts";

/** What rendering parts depends on beside the part. */
export interface PartContext {
  readonly unsupported: Unsupported;
  readonly names: DocumentNames;
  /** Whether the model takes points of a cache. */
  readonly cachePoints: boolean;
}

type Renders = {
  readonly [Kind in Part["kind"]]: (part: Extract<Part, { kind: Kind }>, context: PartContext) => readonly JsonObject[];
};

const renders: Renders = {
  text: renderText,
  refusal: ({ text }) => (isBlank(text) ? [] : [{ text }]),
  image: renderImage,
  file: renderFile,
  audio: ({ source }) => [renderMedia("audio", source)],
  video: ({ source }) => [renderMedia("video", source)],
  reasoning: renderThoughts,
  "tool-call": (part) => [{ toolUse: { toolUseId: vendorId(part.id), name: part.name, input: argsOf(part) } }],
  "tool-result": renderResult,
  compaction: () => {
    throw unsupportedFailure("a compaction of another vendor");
  },
  vendor: ({ wire, value }) => {
    if (wire === "converse" && isRecord(value)) return [value];
    throw unsupportedFailure("items of another vendor's tools");
  },
};

/** A part of a request as blocks. Throws Failure unsupported_parameter for what the wire cannot say. */
export function renderPart(part: Part, context: PartContext): readonly JsonObject[] {
  // The table holds a renderer of exactly this kind, which TypeScript cannot follow through the lookup.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const render = renders[part.kind] as (part: Part, context: PartContext) => readonly JsonObject[];
  return render(part, context);
}

/** The vendor refuses a text without a letter. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

function renderText({ text, cache, citations }: TextPart, context: PartContext): readonly JsonObject[] {
  context.unsupported.noteIf("text.citations", citations !== undefined && citations.length > 0);
  return isBlank(text) ? [] : withCachePoint([{ text }], cache, context);
}

function renderImage({ source, detail, cache }: ImagePart, context: PartContext): readonly JsonObject[] {
  context.unsupported.noteIf("image.detail", detail);
  return withCachePoint([renderMedia("image", source)], cache, context);
}

function renderFile(part: FilePart, context: PartContext): readonly JsonObject[] {
  return withCachePoint([renderDocument(part, context.names.give(part))], part.cache, context);
}

/** Thoughts that the vendor sealed; others are nothing to it. */
function renderThoughts({ text, seal }: ReasoningPart, { unsupported }: PartContext): readonly JsonObject[] {
  const value = ownSeal(seal, "converse");
  unsupported.noteIf("turn.reasoning", value === undefined);
  if (value === undefined) return [];
  const thought = isRedacted(seal) ? { redactedContent: value } : { reasoningText: { text, signature: value } };
  return [{ reasoningContent: thought }];
}

/** Ids that the vendor takes. */
const validId = /^[A-Za-z0-9_-]{1,64}$/;

/** An id as the vendor takes it: the same for a call and its result, and another for every other. */
function vendorId(id: string): string {
  return validId.test(id) ? id : `tooluse_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
}

function renderResult({ callId, parts, isError, cache }: ToolResultPart, context: PartContext): readonly JsonObject[] {
  const content = parts.flatMap((part) => renderPart(part, { ...context, cachePoints: false }));
  const toolResult = present({
    toolUseId: vendorId(callId),
    // The vendor wants something, if it says nothing.
    content: content.length > 0 ? content : [{ json: {} }],
    status: isError === true ? "error" : undefined,
  });
  return withCachePoint([{ toolResult }], cache, context);
}
