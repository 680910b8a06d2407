import { present } from "@modelgate/contracts";
import { createHash } from "node:crypto";
import { isRecord } from "../../json/fields.ts";
import { argsOf } from "../hub/call-arguments.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { ImagePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { ownSeal } from "../hub/seals.ts";
import { renderCache } from "./cache.ts";
import { ownCitations } from "./citations.ts";
import { renderDocument, renderImageSource } from "./render-documents.ts";
import { isRedacted } from "./seals.ts";

type Renders = {
  readonly [Kind in Part["kind"]]: (
    part: Extract<Part, { kind: Kind }>,
    unsupported: Unsupported,
  ) => readonly JsonObject[];
};

const renders: Renders = {
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
  reasoning: renderThoughts,
  "tool-call": (part) => [renderCall(part)],
  "tool-result": renderResult,
  compaction: () => {
    throw unsupportedFailure("a compaction of another vendor");
  },
  vendor: ({ wire, value }) => {
    if (wire === "messages" && isRecord(value)) return [value];
    throw unsupportedFailure("items of another vendor's tools");
  },
};

/** A part of a request as blocks. Throws Failure unsupported_parameter for what the wire cannot say. */
export function renderPart(part: Part, unsupported: Unsupported): readonly JsonObject[] {
  // The table holds a renderer of exactly this kind, which TypeScript cannot follow through the lookup.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const render = renders[part.kind] as (part: Part, unsupported: Unsupported) => readonly JsonObject[];
  return render(part, unsupported);
}

/** The vendor refuses a text without a letter. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

function renderText({ text, cache, citations }: TextPart, unsupported: Unsupported): readonly JsonObject[] {
  if (isBlank(text)) return [];
  const own = ownCitations(citations ?? []);
  unsupported.noteIf("text.citations", own.length < (citations?.length ?? 0));
  return [
    present({
      type: "text",
      text,
      citations: own.length > 0 ? own : undefined,
      cache_control: renderCache(cache),
    }),
  ];
}

function renderImage({ source, detail, cache }: ImagePart, unsupported: Unsupported): readonly JsonObject[] {
  unsupported.noteIf("image.detail", detail);
  return [present({ type: "image", source: renderImageSource(source), cache_control: renderCache(cache) })];
}

/** Thoughts that the vendor sealed; it refuses all others. */
function renderThoughts({ text, seal }: ReasoningPart, unsupported: Unsupported): readonly JsonObject[] {
  const value = ownSeal(seal, "messages");
  unsupported.noteIf("turn.reasoning", value === undefined);
  if (value === undefined) return [];
  return isRedacted(seal)
    ? [{ type: "redacted_thinking", data: value }]
    : [{ type: "thinking", thinking: text, signature: value }];
}

function renderCall(part: ToolCallPart): JsonObject {
  return { type: "tool_use", id: vendorId(part.id), name: part.name, input: argsOf(part) };
}

/** Ids that the vendor takes. */
const validId = /^[A-Za-z0-9_-]+$/;

/** An id as the vendor takes it: the same for a call and its result, and another for every other. */
function vendorId(id: string): string {
  return validId.test(id) ? id : `toolu_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
}

function renderResult(
  { callId, parts, isError, cache }: ToolResultPart,
  unsupported: Unsupported,
): readonly JsonObject[] {
  const [only] = parts;
  const plain = parts.length === 1 && only?.kind === "text" && only.cache === undefined ? only.text : undefined;
  const content = plain ?? parts.flatMap((part) => renderPart(part, unsupported));
  return [
    present({
      type: "tool_result",
      tool_use_id: vendorId(callId),
      content: content.length > 0 ? content : undefined,
      is_error: isError === true ? true : undefined,
      cache_control: renderCache(cache),
    }),
  ];
}
