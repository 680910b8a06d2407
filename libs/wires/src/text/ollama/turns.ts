import { withoutUndefined } from "@modelgate/contracts";
import type { Fields } from "@modelgate/formats/json";
import type { Part, TextPart, ToolCallPart, ToolResultPart, ImagePart } from "../hub/part.ts";
import type { Turn } from "../hub/request.ts";
import { CallPairs, renderArguments, callId } from "../hub/tool-calls.ts";
import { TurnCollector } from "../hub/turn-collector.ts";

/** Maximum number of messages of one request, and of calls of one message. */
const [maxMessages, maxCalls] = [20_000, 1_024];

const roles = ["system", "user", "assistant", "tool"] as const;

export function parseTurns(fields: Fields): {
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
} {
  const instructions: TextPart[] = [];
  const dialogue = new TurnCollector();
  const calls = new CallPairs();
  for (const [index, message] of fields.each("messages", maxMessages).entries()) {
    message.needText("role");
    const role = message.oneOf("role", roles);
    const text = message.text("content") ?? "";
    const texts: readonly TextPart[] = text === "" ? [] : [{ kind: "text", text }];
    if (role === "system" && dialogue.isEmpty) instructions.push(...texts);
    else if (role === "tool") dialogue.answer(parseResult(message, text, calls, index));
    else if (role === "assistant")
      dialogue.add(role, [...parseReasoning(message), ...texts, ...parseCalls(message, calls, index)]);
    else dialogue.add(role ?? "user", [...texts, ...parseImages(message)]);
  }
  return { instructions, turns: dialogue.turns.filter(({ parts }) => parts.length > 0) };
}

function parseReasoning(message: Fields): readonly Part[] {
  const text = message.text("thinking") ?? "";
  return text === "" ? [] : [{ kind: "reasoning", text }];
}

/** Parses a message's calls. Their ids are optional, and clients may leave them out of the history. */
function parseCalls(message: Fields, calls: CallPairs, index: number): readonly ToolCallPart[] {
  return message.each("tool_calls", maxCalls).map((call, position) => {
    call.ignore("type");
    const definition = call.needFields("function");
    definition.ignore("index");
    const name = definition.needText("name");
    const id = call.text("id") ?? callId(index, position, name);
    calls.called(id, name);
    const body = definition.raw("arguments");
    const text = typeof body === "string" ? body : renderArguments(definition.record("arguments"));
    return { kind: "tool-call", id, name, arguments: text };
  });
}

/** Parses a result. It names its call, its tool, or neither; in that case it answers the oldest pending call. */
function parseResult(message: Fields, text: string, calls: CallPairs, index: number): ToolResultPart {
  const toolName = message.text("tool_name") ?? message.text("name");
  const call = calls.take(message.text("tool_call_id"), toolName);
  return {
    kind: "tool-result",
    callId: call?.id ?? callId(index, toolName ?? ""),
    ...withoutUndefined({ name: toolName ?? call?.name }),
    parts: [{ kind: "text", text }, ...parseImages(message)],
  };
}

/** Parses images in Base64. The media type is detected by the first bytes; an unknown type counts as PNG. */
export function parseImages(fields: Fields): readonly ImagePart[] {
  const images = fields.texts("images") ?? [];
  return images.map((text) => {
    const data = text.replace(/^data:[^,]*,/, "");
    const mediaType = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1] ?? "image/png";
    return { kind: "image", source: { kind: "base64", mediaType, data } };
  });
}

const beginnings = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;
