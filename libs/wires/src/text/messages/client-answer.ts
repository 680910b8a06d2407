import { Failure, withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { FinishReason, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import type { Part, ReasoningPart, Signature } from "../hub/part.ts";
import { isRedacted, renderSignature, type Envelope } from "../hub/signatures.ts";
import { parseArguments } from "../hub/tool-calls.ts";
import { renderCitation, signatureBlock } from "./parts.ts";
import { renderUsage, tierWord } from "./usage.ts";
import { stopReasonOf } from "./vendor-answer.ts";

/** Renders a complete message. Clients cannot request several choices. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonRecord {
  const [choice] = answer.choices;
  if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
  const hasCalls = choice.parts.some(({ kind }) => kind === "tool-call");
  const usage = renderUsage(answer.usage ?? { inputTokens: context.inputTokens });
  return {
    id: context.answerId,
    type: "message",
    role: "assistant",
    model: context.model,
    content: allAnswerBlocks(choice.parts),
    stop_reason: stopReasonOf(choice.finish, hasCalls),
    stop_sequence: choice.stopSequence ?? null,
    ...refusalDetails(
      choice.finish,
      choice.parts.find(({ kind }) => kind === "refusal"),
    ),
    usage: withoutUndefined({ ...usage, service_tier: tierWord(answer.serviceTier) }),
  };
}

/** Returns `stop_details` of a refusal. */
export function refusalDetails(finish: FinishReason, part: Part | undefined): JsonRecord {
  if (finish !== "refused" || part?.kind !== "refusal") return {};
  return { stop_details: part.details ?? { type: "refusal", category: null, explanation: null } };
}

/**
 * Renders the blocks of an answer. The signature of the last text is left out, because clients read the last block as
 * the answer.
 */
function allAnswerBlocks(parts: readonly Part[]): readonly JsonRecord[] {
  const visibleParts = parts.slice(0, parts.findLastIndex((part) => !(part.kind === "text" && part.text === "")) + 1);
  const last = visibleParts.at(-1);
  return last?.kind === "text"
    ? [...visibleParts.slice(0, -1), { ...last, signature: undefined }].flatMap(answerBlocks)
    : visibleParts.flatMap(answerBlocks);
}

/** Renders a part of an answer; empty if this wire cannot express it. */
export function answerBlocks(part: Part): readonly JsonRecord[] {
  if (part.kind === "text") {
    const citations = (part.citations ?? []).flatMap(renderCitation);
    const block = { type: "text", text: part.text, citations: citations.length > 0 ? citations : undefined };
    // Clients do not send an empty text block back, so the signature gets its own block.
    if (part.text === "") return signatureBlocks(part.signature, {});
    return [withoutUndefined(block), ...signatureBlocks(part.signature, { previous: true })];
  }
  if (part.kind === "refusal")
    return part.text === "" || part.details !== undefined ? [] : [{ type: "text", text: part.text }];
  if (part.kind === "reasoning") return reasoningBlocks(part);
  if (part.kind === "tool-call") {
    const call = { type: "tool_use", id: part.id, name: part.name, input: parseArguments(part) };
    return [call, ...signatureBlocks(part.signature, { call: part.id })];
  }
  return part.kind === "vendor" && part.wire === "messages" && isRecord(part.value) ? [part.value] : [];
}

function reasoningBlocks({ text, signature }: ReasoningPart): readonly JsonRecord[] {
  if (text === "" && signature === undefined) return [];
  const redacted =
    signature !== undefined && isRedacted(signature, "messages")
      ? [{ type: "redacted_thinking", data: signature.value }]
      : [];
  if (redacted.length > 0 && text === "") return redacted;
  const value = renderSignature(redacted.length > 0 ? undefined : signature, "messages");
  return [{ type: "thinking", thinking: text, signature: value }, ...redacted];
}

/** Renders the block that contains another wire's signature of a text or call. */
export function signatureBlocks(
  signature: Signature | undefined,
  on: Omit<Envelope, "signature">,
): readonly JsonRecord[] {
  return signature === undefined || signature.wire === "messages" ? [] : [signatureBlock({ signature, ...on })];
}
