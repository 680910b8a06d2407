import type { Behaviour } from "../behaviour.ts";
import type { Answer } from "../core/answer.ts";
import { freshId } from "../core/ids.ts";
import { halvesOf, piecesOf } from "../core/tokens.ts";
import type { Frame, Streamed } from "../stream.ts";
import { blocksFor, renderUsage, renderStop, type Block, type ReasoningOptions } from "./render.ts";

export function streamMessage(model: string, answer: Answer, shown: ReasoningOptions, behaviour: Behaviour): Streamed {
  return {
    frames: framesOf(model, answer, shown, behaviour),
    error: (message) => event("error", { error: { type: "overloaded_error", message } }),
  };
}

function event(type: string, members: object, more: Partial<Frame> = {}): Frame {
  return { event: type, data: JSON.stringify({ type, ...members }), ...more };
}

function* framesOf(model: string, answer: Answer, shown: ReasoningOptions, behaviour: Behaviour): Generator<Frame> {
  const usage = renderUsage(answer);
  const head = { id: freshId("msg_"), type: "message", role: "assistant", model, content: [] };
  const message = {
    ...head,
    stop_reason: null,
    stop_sequence: null,
    ...(usage && { usage: { ...usage, output_tokens: 1 } }),
    ...(shown.inputTransformations && { input_transformations: shown.inputTransformations }),
  };
  yield event("message_start", { message });
  for (const [index, block] of blocksFor(answer, shown).entries()) {
    yield event("content_block_start", { index, content_block: withoutContent(block) });
    if (index === 0) yield event("ping", {});
    for (const delta of deltasOf(block, behaviour))
      yield event("content_block_delta", { index, delta }, { content: true });
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", { delta: renderStop(answer), ...(usage && { usage }) });
  yield event("message_stop", {}, { last: true });
}

function withoutContent(block: Block): object {
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : block;
}

function* deltasOf(block: Block, { chunks }: Behaviour): Generator<object> {
  switch (block.type) {
    case "thinking":
      for (const thinking of piecesOf(block.thinking)) yield { type: "thinking_delta", thinking };
      yield { type: "signature_delta", signature: block.signature };
      return;
    case "text":
      for (const text of piecesOf(block.text, chunks)) yield { type: "text_delta", text };
      return;
    case "tool_use":
      yield { type: "input_json_delta", partial_json: "" };
      for (const partial_json of halvesOf(JSON.stringify(block.input)))
        yield { type: "input_json_delta", partial_json };
      return;
    case "redacted_thinking":
  }
}
