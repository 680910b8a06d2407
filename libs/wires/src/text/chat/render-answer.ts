import { Failure, present } from "@modelgate/contracts";
import type { Choice, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/codec.ts";
import { logProbability } from "../hub/log-probabilities.ts";
import type { Part, ReasoningPart, TextPart, ToolCallPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { finishWord } from "./endings.ts";
import { annotation, callMember, answerStyleOf, wholeMembers, type AnswerStyle } from "./answer-parts.ts";
import { detailsFor } from "./seals.ts";
import { renderUsage } from "./usage.ts";

/** The completion for a whole answer. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonObject {
  if (answer.choices.length === 0) throw new Failure("upstream_error", "The vendor's answer is empty.");
  return present({
    id: context.answerId,
    object: "chat.completion",
    created: context.now,
    model: context.model,
    choices: answer.choices.map((choice, index) => renderChoice(choice, index, context)),
    usage: answer.usage === undefined ? undefined : renderUsage(answer.usage),
    service_tier: answer.serviceTier,
  });
}

function renderChoice({ parts, finish }: Choice, index: number, context: AnswerContext): JsonObject {
  const style = answerStyleOf(context);
  const probabilities = parts.flatMap((part) => (part.kind === "text" ? (part.logProbabilities ?? []) : []));
  const refused = parts.some(({ kind }) => kind === "refusal");
  return {
    index,
    message: { role: "assistant", ...messageOf(parts, style, context) },
    logprobs: probabilities.length === 0 ? null : { content: probabilities.map(logProbability), refusal: null },
    finish_reason: finishWord(finish, refused, style.oldCalls),
  };
}

function messageOf(parts: readonly Part[], style: AnswerStyle, context: AnswerContext): JsonObject {
  const texts = parts.filter((part) => part.kind === "text");
  const refusal = parts.flatMap((part) => (part.kind === "refusal" ? [part.text] : [])).join("");
  const calls = parts.filter((part) => part.kind === "tool-call");
  const pictures = parts.filter((part) => part.kind === "image");
  const images = pictures.flatMap((part, index) => wholeMembers(part, context, index)["images"] ?? []);
  const others = parts.filter((part) => part.kind !== "image").map((part) => wholeMembers(part, context, 0));
  const thoughts = style.hidesThoughts ? [] : parts.filter((part) => part.kind === "reasoning");
  const shown = thoughts.map(({ text }) => text).join("");
  const details = detailsOf(thoughts, texts);
  const saysOtherwise = calls.length > 0 || refusal !== "" || others.some((members) => "audio" in members);
  return present({
    content: texts.length === 0 && saysOtherwise ? null : texts.map(({ text }) => text).join(""),
    refusal: refusal === "" ? null : refusal,
    ...others.reduce((all, members) => ({ ...all, ...members }), {}),
    images: images.length > 0 ? images : undefined,
    annotations: annotationsOf(texts),
    reasoning_content: shown === "" ? undefined : shown,
    reasoning_details: details.length > 0 ? details : undefined,
    ...callMembers(calls, style),
  });
}

/** The details that carry the seals of thoughts and texts, by where each stands in what is joined here. */
function detailsOf(...groups: readonly (readonly (ReasoningPart | TextPart)[])[]): readonly unknown[] {
  let index = 0;
  return groups.flatMap((parts) => {
    let at = 0;
    return parts.flatMap((part) => {
      const span = [at, at + part.text.length] as const;
      [, at] = span;
      if (part.seal === undefined) return [];
      const of = part.kind === "text" ? ({ span, previous: true } as const) : { span, id: part.id };
      return detailsFor(part.seal, { ...of, index: index++ });
    });
  });
}

function annotationsOf(texts: readonly TextPart[]): readonly unknown[] | undefined {
  let at = 0;
  const all = texts.flatMap(({ text, citations = [] }) => {
    const from = at;
    at += text.length;
    return citations.flatMap((citation) => annotation(citation, from, text.length));
  });
  return all.length > 0 ? all : undefined;
}

function callMembers(calls: readonly ToolCallPart[], style: AnswerStyle): JsonObject {
  const [first] = calls;
  if (first === undefined) return {};
  if (style.oldCalls) return { function_call: { name: first.name, arguments: first.arguments } };
  return { tool_calls: calls.map((call) => callMember(call, style)) };
}
