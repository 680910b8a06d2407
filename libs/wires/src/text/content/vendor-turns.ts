import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "../hub/request.ts";
import { acceptsThinkingLevels } from "../hub/gemini.ts";
import type {
  Part,
  AudioPart,
  FilePart,
  ImagePart,
  ReasoningPart,
  Source,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  VideoPart,
} from "../hub/part.ts";
import { openingText } from "../hub/paired-messages.ts";
import { allInstructions, pairedTurns } from "../hub/paired-turns.ts";
import { requireItemOfWire, refuseCompaction, renderPartBy, type PartRenderers } from "../hub/render.ts";
import { ownSignature } from "../hub/signatures.ts";
import { mediaTypeOfName } from "../hub/sources.ts";
import { parseArguments } from "../hub/tool-calls.ts";
import { skipSignatureCheck, renderToolResponse } from "./parts.ts";

/**
 * Renders turns as `contents`. The vendor requires the results of parallel calls in one content. It also requires a
 * user's turn before calls. If a history begins with calls, such a turn is added and reported as a loss.
 */
export function renderTurns(request: TextRequest, model: string, unsupported: Unsupported) {
  const turns = pairedTurns(request.turns.filter(({ role }) => role !== "system"));
  const context = makeContext(turns, model, unsupported);
  const system = allInstructions(request, unsupported).flatMap((part) => renderPart(part, context));
  const contents = mergeTurns(turns).flatMap(({ role, parts }) => {
    const rendered = parts.flatMap((part) => renderPart(part, context));
    if (rendered.length === 0) return [];
    const isModel = role === "assistant";
    const signed = isModel && context.needsSignatures ? withDummySignature(rendered) : rendered;
    return [{ role: isModel ? "model" : "user", parts: signed }];
  });
  if (contents.length === 0) return { contents: [{ role: "user", parts: system }], systemInstruction: undefined };
  const isOpened = contents[0]?.role === "user" || contents[0]?.parts.some((part) => "functionCall" in part) !== true;
  unsupported.noteIf("turn.first-assistant", !isOpened);
  return {
    contents: isOpened ? contents : [{ role: "user", parts: [{ text: openingText }] }, ...contents],
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
  };
}

function makeContext(
  turns: readonly Turn[],
  model: string,
  unsupported: Unsupported,
): ContentPartContext & { readonly needsSignatures: boolean } {
  const names = new Map<string, string>();
  for (const part of turns.flatMap(({ parts }) => parts)) if (part.kind === "tool-call") names.set(part.id, part.name);
  const recent = acceptsThinkingLevels(model);
  return { unsupported, imagesInResults: recent, needsSignatures: recent, nameOf: (id) => names.get(id) };
}

function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: Turn["role"]; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else joined.push({ role, parts: [...parts] });
  }
  return joined;
}

/** Adds a placeholder if the first call of a step has no signature, which the vendor requires. */
export function withDummySignature(parts: readonly JsonRecord[]): readonly JsonRecord[] {
  const first = parts.find((part) => (part["functionCall"] ?? part["function_call"]) !== undefined);
  if (first === undefined || (first["thoughtSignature"] ?? first["thought_signature"]) !== undefined) return parts;
  return parts.map((part) => (part === first ? { ...part, thoughtSignature: skipSignatureCheck } : part));
}

interface ContentPartContext {
  readonly unsupported: Unsupported;
  readonly imagesInResults: boolean;
  /** Returns the name of a call's tool. */
  readonly nameOf: (callId: string) => string | undefined;
}

const partRenderers: PartRenderers<ContentPartContext> = {
  text: renderText,
  refusal: ({ text }) => (text === "" ? [] : [{ text }]),
  image: renderImage,
  file: renderFile,
  audio: renderMedia,
  video: renderMedia,
  reasoning: renderReasoning,
  "tool-call": (part) => [renderCall(part, ownSignature(part.signature, "content"))],
  "tool-result": renderResult,
  compaction: refuseCompaction,
  vendor: (part) => [requireItemOfWire(part, "content")],
};

function renderPart(part: Part, context: ContentPartContext): readonly JsonRecord[] {
  return renderPartBy(partRenderers, part, context);
}

/** Renders a text. The vendor refuses an empty text unless it has a signature. */
function renderText(part: TextPart, { unsupported }: ContentPartContext): readonly JsonRecord[] {
  const { text, signature } = part;
  unsupported.noteMembers("text", part, ["cache", "citations"]);
  const thoughtSignature = ownSignature(signature, "content");
  return text === "" && thoughtSignature === undefined ? [] : [withoutUndefined({ text, thoughtSignature })];
}

function renderImage(part: ImagePart, { unsupported }: ContentPartContext): readonly JsonRecord[] {
  unsupported.noteMembers("image", part, ["detail", "cache"]);
  const thoughtSignature = ownSignature(part.signature, "content");
  return [withoutUndefined({ ...renderSource(part.source), thoughtSignature })];
}

function renderFile(part: FilePart, { unsupported }: ContentPartContext): readonly JsonRecord[] {
  const { source } = part;
  unsupported.noteMembers("file", part, ["title", "name", "context", "citations", "cache"]);
  if (source.kind !== "text") return [renderSource(source)];
  return [{ inlineData: { mimeType: "text/plain", data: Buffer.from(source.text).toString("base64") } }];
}

function renderMedia({ source }: AudioPart | VideoPart): readonly JsonRecord[] {
  return [renderSource(source)];
}

/** Renders the bytes of a file, or its address. */
export function renderSource(source: Source): JsonRecord {
  if (source.kind === "base64") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  if (source.kind === "url") {
    const mimeType = source.mediaType ?? mediaTypeOfName(source.url);
    return { fileData: withoutUndefined({ mimeType, fileUri: source.url }) };
  }
  if (source.wire !== "content") throw unsupportedFailure("file ids of another vendor");
  return { fileData: withoutUndefined({ mimeType: source.mediaType, fileUri: source.id }) };
}

function renderReasoning(
  { text, signature }: ReasoningPart,
  { unsupported }: ContentPartContext,
): readonly JsonRecord[] {
  const thoughtSignature = ownSignature(signature, "content");
  unsupported.noteIf("turn.reasoning", thoughtSignature === undefined);
  return thoughtSignature === undefined ? [] : [{ text, thought: true, thoughtSignature }];
}

export function renderCall(part: ToolCallPart, thoughtSignature: string | undefined): JsonRecord {
  return withoutUndefined({
    functionCall: { id: part.id, name: part.name, args: parseArguments(part) },
    thoughtSignature,
  });
}

function renderResult(part: ToolResultPart, context: ContentPartContext): readonly JsonRecord[] {
  context.unsupported.noteIf("tool-result.cache", part.cache);
  const name = part.name ?? context.nameOf(part.callId);
  if (name === undefined) throw unsupportedFailure("a tool result without its call");
  const text = part.parts.flatMap((each) => (each.kind === "text" ? [each.text] : [])).join("\n\n");
  const media = part.parts.filter((each) => each.kind !== "text").flatMap((each) => renderPart(each, context));
  const response = { id: part.callId, name, response: renderToolResponse(text, part.isError === true) };
  if (media.length === 0) return [{ functionResponse: response }];
  return context.imagesInResults
    ? [{ functionResponse: { ...response, parts: media } }]
    : [{ functionResponse: response }, ...media];
}
