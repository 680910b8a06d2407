import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Choice, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import type { Part, Signature } from "../hub/part.ts";
import { renderSignature } from "./parts.ts";
import { renderCitations, renderProbabilities } from "./sources.ts";
import { renderUsage } from "./usage.ts";
import { contentFinishReasons } from "./vendor-answer.ts";
import { renderCall, renderSource } from "./vendor-turns.ts";

export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonRecord {
  return withoutUndefined({
    candidates: answer.choices.map(renderCandidate),
    usageMetadata: answer.usage === undefined ? undefined : renderUsage(answer.usage),
    modelVersion: context.model,
    responseId: context.answerId,
  });
}

function renderCandidate({ parts, finish }: Choice, index: number): JsonRecord {
  const texts = parts.filter((part) => part.kind === "text");
  return withoutUndefined({
    content: { role: "model", parts: parts.flatMap(answerPart) },
    finishReason: contentFinishReasons[finish],
    finishMessage: finishMessageOf(parts.find(({ kind }) => kind === "refusal")),
    index,
    citationMetadata: renderCitations(texts.flatMap(({ citations }) => citations ?? [])),
    logprobsResult: renderProbabilities(texts.flatMap(({ logProbabilities }) => logProbabilities ?? [])),
  });
}

/**
 * Returns the text of a refusal with details, which is the vendor's explanation. The text of any other refusal is part
 * of the answer.
 */
function finishMessageOf(part: Part | undefined): string | undefined {
  return part?.kind === "refusal" && part.details !== undefined ? part.text : undefined;
}

/** Renders a part of an answer; empty if this wire cannot express it. */
export function answerPart(part: Part): readonly JsonRecord[] {
  if (part.kind === "text") return [renderTextPart(part.text, false, part.signature)];
  if (part.kind === "refusal") return part.details === undefined ? [{ text: part.text }] : [];
  if (part.kind === "reasoning") return [renderTextPart(part.text, true, part.signature)];
  if (part.kind === "tool-call") return [renderCall(part, renderSignature(part.signature))];
  if (part.kind === "image")
    return [withoutUndefined({ ...renderMedia(part), thoughtSignature: renderSignature(part.signature) })];
  if (part.kind === "audio" || part.kind === "video") return [renderMedia(part)];
  return part.kind === "vendor" && part.wire === "content" && isRecord(part.value) ? [part.value] : [];
}

/** Creates a part of text or reasoning, with the signature that the client must send back. */
export function renderTextPart(text: string, thought: boolean, signature: Signature | undefined): JsonRecord {
  const part = thought ? { text, thought } : { text };
  const thoughtSignature = renderSignature(signature);
  return thoughtSignature === undefined ? part : { ...part, thoughtSignature };
}

function renderMedia({ source }: Extract<Part, { kind: "image" | "audio" | "video" }>): JsonRecord {
  return source.kind === "file-id" && source.wire !== "content" ? {} : renderSource(source);
}
