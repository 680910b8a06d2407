import type { Answer } from "../core/answer.ts";
import { argumentsOf } from "../core/requested-calls.ts";
import { freshId } from "../core/ids.ts";
import { encodeText } from "../core/opaque-data.ts";
import { redactedDataKind } from "./rules.ts";

/** Options of the reasoning in an answer. */
export interface ReasoningOptions {
  /** True if the reasoning has only its signature. */
  readonly omitted: boolean;
  sign(thinking: string): string;
  /** Reports about removed reasoning. Undefined without the beta feature `thinking-binding-controls`. */
  readonly inputTransformations: readonly object[] | undefined;
}

/** Content block of an answer. */
export type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "text"; readonly text: string; readonly citations: null }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** Returns the blocks of an answer in their order. */
export function blocksFor(
  { thoughts, redacted, text, calls }: Answer,
  { omitted, sign }: ReasoningOptions,
): readonly Block[] {
  const blocks: Block[] = [];
  if (thoughts !== undefined && redacted)
    blocks.push({ type: "redacted_thinking", data: encodeText(redactedDataKind, thoughts) });
  if (thoughts !== undefined && !redacted) {
    const thinking = omitted ? "" : thoughts;
    blocks.push({ type: "thinking", thinking, signature: sign(thinking) });
  }
  if (text !== undefined && text !== "") blocks.push({ type: "text", text, citations: null });
  for (const call of calls)
    blocks.push({ type: "tool_use", id: freshId("toolu_"), name: call.name, input: argumentsOf(call.arguments) });
  return blocks;
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** Returns the stop reason and its details. */
export function renderStop({ finish, stopText }: Answer): object {
  const reason = finish === "stop" && stopText !== undefined ? "stop_sequence" : (stopReasons[finish] ?? finish);
  return {
    stop_reason: reason,
    stop_sequence: stopText ?? null,
    ...(reason === "refusal" && { stop_details: { type: "refusal", category: null, explanation: null } }),
  };
}

/** Returns the usage; undefined if none is reported. In this wire, input tokens exclude cached ones. */
export function renderUsage({ counts, usage }: Answer): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = counts;
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: "standard",
  };
}

/** Renders a complete message. */
export function renderMessage(model: string, answer: Answer, shown: ReasoningOptions): object {
  const usage = renderUsage(answer);
  return {
    id: freshId("msg_"),
    type: "message",
    role: "assistant",
    model,
    content: blocksFor(answer, shown),
    ...renderStop(answer),
    ...(usage && { usage }),
    ...(shown.inputTransformations && { input_transformations: shown.inputTransformations }),
  };
}
