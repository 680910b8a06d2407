import type { ChatCompletionChunk, ChatCompletionMessage } from "openai/resources";
import type { CompletionUsage } from "openai/resources/completions";
import { listOf, memberOf, textOf } from "./members.ts";

/** Message with reasoning, which many vendors add to the format. */
export type ChatMessage = ChatCompletionMessage & {
  readonly reasoning_content?: string | undefined;
  readonly reasoning_details?: readonly unknown[];
};

export interface ChatAnswer {
  readonly message: ChatMessage;
  readonly finish_reason: string;
  readonly usage: CompletionUsage | undefined;
}

interface OpenCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { name: string; arguments: string };
  extra_content?: unknown;
}

/** Converts a stream of chunks to a complete answer. Fails if the chunks are invalid. */
export async function collectChat(chunks: AsyncIterable<ChatCompletionChunk>): Promise<ChatAnswer> {
  let [content, refusal, thoughts] = ["", "", ""];
  const details: unknown[] = [];
  const calls: OpenCall[] = [];
  const finishes: string[] = [];
  const usages: CompletionUsage[] = [];
  for await (const { choices, usage } of chunks) {
    if (usage) usages.push(usage);
    for (const { delta, finish_reason } of choices) {
      content += delta.content ?? "";
      refusal += delta.refusal ?? "";
      thoughts += textOf(memberOf(delta, "reasoning_content"));
      details.push(...listOf(memberOf(delta, "reasoning_details")));
      for (const piece of delta.tool_calls ?? []) addCall(calls, piece);
      if (finish_reason) finishes.push(finish_reason);
    }
  }
  if (finishes.length !== 1 || usages.length !== 1)
    throw new Error(`${finishes.length} finish reasons and ${usages.length} usages`);
  return {
    message: {
      role: "assistant",
      content: content === "" ? null : content,
      refusal: refusal === "" ? null : refusal,
      ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finish_reason: finishes[0] ?? "",
    usage: usages[0],
  };
}

function addCall(calls: OpenCall[], piece: ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const opened = (calls[piece.index] ??= {
    id: piece.id ?? "",
    type: "function",
    function: { name: piece.function?.name ?? "", arguments: "" },
  });
  opened.function.arguments += piece.function?.arguments ?? "";
  const extra = memberOf(piece, "extra_content");
  if (extra !== undefined) opened.extra_content = extra;
}
