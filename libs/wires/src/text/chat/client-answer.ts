import { Failure, withoutUndefined } from "@modelgate/contracts";
import { asRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Choice, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import { logProbability } from "../hub/content.ts";
import type { Part, ReasoningPart, TextPart, ToolCallPart, Citation } from "../hub/part.ts";
import { writeDataUrl } from "../hub/sources.ts";
import { customNames, unwrapCustom } from "../hub/tool-calls.ts";
import { renderDetail, renderExtraContent } from "./reasoning-details.ts";
import { renderUsage } from "./usage.ts";
import { renderFinishReason } from "./vendor-answer.ts";

export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonRecord {
  if (answer.choices.length === 0) throw new Failure("upstream_error", "The vendor's answer is empty.");
  return withoutUndefined({
    id: context.answerId,
    object: "chat.completion",
    created: context.now,
    model: context.model,
    choices: answer.choices.map((choice, index) => renderChoice(choice, index, context)),
    usage: answer.usage === undefined ? undefined : renderUsage(answer.usage),
    service_tier: answer.serviceTier,
  });
}

function renderChoice({ parts, finish }: Choice, index: number, context: AnswerContext): JsonRecord {
  const style = answerStyleOf(context);
  const probabilities = parts.flatMap((part) => (part.kind === "text" ? (part.logProbabilities ?? []) : []));
  const refused = parts.some(({ kind }) => kind === "refusal");
  return {
    index,
    message: { role: "assistant", ...renderMessage(parts, style, context) },
    logprobs: probabilities.length === 0 ? null : { content: probabilities.map(logProbability), refusal: null },
    finish_reason: renderFinishReason(finish, refused, style.legacyCalls),
  };
}

function renderMessage(parts: readonly Part[], style: AnswerStyle, context: AnswerContext): JsonRecord {
  const texts = parts.filter((part) => part.kind === "text");
  const refusal = parts.flatMap((part) => (part.kind === "refusal" ? [part.text] : [])).join("");
  const calls = parts.filter((part) => part.kind === "tool-call");
  const pictures = parts.filter((part) => part.kind === "image");
  const images = pictures.flatMap((part, index) => completePartMembers(part, context, index)["images"] ?? []);
  const others = parts.filter((part) => part.kind !== "image").map((part) => completePartMembers(part, context, 0));
  const reasoning = style.hidesReasoning ? [] : parts.filter((part) => part.kind === "reasoning");
  const reasoningText = reasoning.map(({ text }) => text).join("");
  const details = renderDetails(reasoning, texts);
  const hasOtherContent = calls.length > 0 || refusal !== "" || others.some((members) => "audio" in members);
  return withoutUndefined({
    content: texts.length === 0 && hasOtherContent ? null : texts.map(({ text }) => text).join(""),
    refusal: refusal === "" ? null : refusal,
    ...others.reduce((all, members) => ({ ...all, ...members }), {}),
    images: images.length > 0 ? images : undefined,
    annotations: renderAnnotations(texts),
    reasoning_content: reasoningText === "" ? undefined : reasoningText,
    reasoning_details: details.length > 0 ? details : undefined,
    ...toolCallMembers(calls, style),
  });
}

/** Renders the signatures of reasoning and texts. Each has the position of its part in the joined text. */
function renderDetails(...groups: readonly (readonly (ReasoningPart | TextPart)[])[]): readonly unknown[] {
  let index = 0;
  return groups.flatMap((parts) => {
    let position = 0;
    return parts.flatMap((part) => {
      const span = [position, position + part.text.length] as const;
      [, position] = span;
      if (part.signature === undefined) return [];
      const partReference = part.kind === "text" ? ({ span, previous: true } as const) : { span, id: part.id };
      return renderDetail(part.signature, { ...partReference, index: index++ });
    });
  });
}

function renderAnnotations(texts: readonly TextPart[]): readonly unknown[] | undefined {
  let index = 0;
  const all = texts.flatMap(({ text, citations = [] }) => {
    const from = index;
    index += text.length;
    return citations.flatMap((citation) => renderAnnotation(citation, from, text.length));
  });
  return all.length > 0 ? all : undefined;
}

function toolCallMembers(calls: readonly ToolCallPart[], style: AnswerStyle): JsonRecord {
  const [first] = calls;
  if (first === undefined) return {};
  if (style.legacyCalls) return { function_call: { name: first.name, arguments: first.arguments } };
  return { tool_calls: calls.map((call) => toolCallMember(call, style)) };
}

export interface AnswerStyle {
  /** Names of free-text tools. */
  readonly custom: ReadonlySet<string>;
  /** True if the client uses legacy functions, which allow one call. */
  readonly legacyCalls: boolean;
  readonly hidesReasoning: boolean;
}

export function answerStyleOf({ request, requestBody }: AnswerContext): AnswerStyle {
  return {
    custom: customNames(request.tools),
    legacyCalls: Array.isArray(requestBody["functions"]) && (requestBody["tools"] ?? undefined) === undefined,
    hidesReasoning: request.reasoning?.show === "none",
  };
}

export function isWrappedCall(call: Pick<ToolCallPart, "name" | "custom">, { custom }: AnswerStyle): boolean {
  return call.custom !== true && custom.has(call.name);
}

function toolCallMember(call: ToolCallPart, style: AnswerStyle): JsonRecord {
  const { id, name, signature } = call;
  const extra = { extra_content: renderExtraContent(signature) };
  const wrapped = isWrappedCall(call, style);
  if (call.custom !== true && !wrapped)
    return withoutUndefined({ id, type: "function", function: { name, arguments: call.arguments }, ...extra });
  const input = wrapped ? unwrapCustom(call.arguments) : call.arguments;
  return withoutUndefined({ id, type: "custom", custom: { name, input }, ...extra });
}

function imageMember({ source, signature }: Extract<Part, { kind: "image" }>, index: number): JsonRecord | undefined {
  if (source.kind === "file-id") return undefined;
  const url = source.kind === "url" ? source.url : writeDataUrl(source);
  return withoutUndefined({
    type: "image_url",
    index,
    image_url: { url },
    extra_content: renderExtraContent(signature),
  });
}

/** Renders speech. It is not stored, so its id expires at once. */
function audioMember({ source }: Extract<Part, { kind: "audio" }>, { answerId, now }: AnswerContext): JsonRecord {
  if (source.kind !== "base64") return {};
  return { audio: { id: `audio_${answerId}`, data: source.data, expires_at: now, transcript: "" } };
}

/** Returns the members of a message or delta for a complete part. `images` is the number of earlier images. */
export function completePartMembers(part: Part, context: AnswerContext, images: number): JsonRecord {
  if (part.kind === "audio") return audioMember(part, context);
  if (part.kind === "vendor") return part.wire === "chat" ? asRecord(part.value) : {};
  const image = part.kind === "image" ? imageMember(part, images) : undefined;
  return image === undefined ? {} : { images: [image] };
}

/**
 * Renders a citation of the text that begins at `from`. A citation from another wire is left out unless it has a URL.
 */
export function renderAnnotation(citation: Citation, from: number, length: number): readonly unknown[] {
  if (citation.own?.wire === "chat") return [citation.own.value];
  const { url, title, start, end } = citation;
  if (url === undefined) return [];
  const range = { start_index: from + (start ?? 0), end_index: from + (end ?? length) };
  return [{ type: "url_citation", url_citation: { ...range, title: title ?? url, url } }];
}
