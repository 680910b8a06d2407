import type { Behaviour } from "../behaviour.ts";
import type { Answer } from "../core/answer.ts";
import { argumentsOf } from "../core/requested-calls.ts";
import { freshId } from "../core/ids.ts";
import { encodeText, makeOpaqueData } from "../core/opaque-data.ts";
import { halvesOf, piecesOf } from "../core/tokens.ts";
import type { Frame, Streamed } from "../stream.ts";
import { redactedDataKind, thinkingDataKind } from "./rules.ts";

type Block =
  | { readonly reasoningContent: { readonly reasoningText: { readonly text: string; readonly signature: string } } }
  | { readonly reasoningContent: { readonly redactedContent: string } }
  | { readonly text: string }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: unknown } };

function blocksFor({ thoughts, redacted, text, calls }: Answer): readonly Block[] {
  const blocks: Block[] = [];
  if (thoughts !== undefined && redacted)
    blocks.push({ reasoningContent: { redactedContent: encodeText(redactedDataKind, thoughts) } });
  if (thoughts !== undefined && !redacted) {
    const reasoningText = { text: thoughts, signature: makeOpaqueData(thinkingDataKind, thoughts) };
    blocks.push({ reasoningContent: { reasoningText } });
  }
  if (text !== undefined && text !== "") blocks.push({ text });
  for (const { name, arguments: args } of calls)
    blocks.push({ toolUse: { toolUseId: freshId("tooluse_"), name, input: argumentsOf(args) } });
  return blocks;
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "guardrail_intervened",
};

function stopOf({ finish, stopText }: Answer): object {
  if (finish === "stop" && stopText !== undefined)
    return { stopReason: "stop_sequence", additionalModelResponseFields: { stop_sequence: stopText } };
  return { stopReason: stopReasons[finish] ?? finish };
}

/** Returns the usage; undefined if none is reported. In this wire, input tokens exclude cached ones. */
function usageOf({ counts, usage }: Answer): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens } = counts;
  return {
    inputTokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  };
}

const metrics = { latencyMs: 1 };

/** Renders a complete Converse answer. */
export function renderConverse(answer: Answer): object {
  const usage = usageOf(answer);
  const message = { role: "assistant", content: blocksFor(answer) };
  return { output: { message }, ...stopOf(answer), ...(usage && { usage }), metrics };
}

export function streamConverse(answer: Answer, behaviour: Behaviour): Streamed {
  return {
    framing: "amazon",
    frames: framesOf(answer, behaviour),
    error: (message) => ({ event: "modelStreamErrorException", data: JSON.stringify({ message }), isFailure: true }),
  };
}

/** Text that Amazon adds to frames, so that their size does not show the length of the content. */
const padding = "abcdefghijklmnop";

function frame(event: string, members: object, more: Partial<Frame> = {}): Frame {
  return { event, data: JSON.stringify({ ...members, p: padding }), ...more };
}

function* framesOf(answer: Answer, behaviour: Behaviour): Generator<Frame> {
  yield frame("messageStart", { role: "assistant" });
  for (const [contentBlockIndex, block] of blocksFor(answer).entries()) {
    if ("toolUse" in block) {
      const { toolUseId, name } = block.toolUse;
      yield frame("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } });
    }
    for (const delta of deltasOf(block, behaviour))
      yield frame("contentBlockDelta", { contentBlockIndex, delta }, { content: true });
    yield frame("contentBlockStop", { contentBlockIndex });
  }
  yield frame("messageStop", stopOf(answer), { last: true });
  const usage = usageOf(answer);
  if (behaviour.noDone !== true) yield frame("metadata", { ...(usage && { usage }), metrics });
}

function* deltasOf(block: Block, { chunks }: Behaviour): Generator<object> {
  if ("text" in block) for (const text of piecesOf(block.text, chunks)) yield { text };
  else if ("toolUse" in block)
    for (const input of halvesOf(JSON.stringify(block.toolUse.input))) yield { toolUse: { input } };
  else if ("redactedContent" in block.reasoningContent) yield { reasoningContent: block.reasoningContent };
  else {
    const { text, signature } = block.reasoningContent.reasoningText;
    for (const piece of piecesOf(text)) yield { reasoningContent: { text: piece } };
    yield { reasoningContent: { signature } };
  }
}
