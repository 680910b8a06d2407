import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import { argumentsOf } from "../hub/call-arguments.ts";
import { callId } from "../hub/call-ids.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart } from "../hub/part.ts";
import type { Turn } from "../hub/request.ts";
import { parseImages } from "./parse-parts.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** Messages that one request may have, and calls of one message. */
const [mostMessages, mostCalls] = [20_000, 1_024];
const roles = ["system", "user", "assistant", "tool"] as const;

/** The conversation in `messages`: what systems say before it are instructions. */
export function parseTurns(fields: Fields): {
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
} {
  const instructions: TextPart[] = [];
  const turns: { readonly role: Turn["role"]; readonly parts: Part[] }[] = [];
  const calls = new WaitingCalls();
  for (const [index, message] of fields.each("messages", mostMessages).entries()) {
    message.needText("role");
    const role = message.word("role", roles);
    const text = message.text("content") ?? "";
    const said: readonly TextPart[] = text === "" ? [] : [{ kind: "text", text }];
    if (role === "system" && turns.length === 0) instructions.push(...said);
    else if (role === "tool") answer(turns, parseResult(message, text, calls, index));
    else if (role === "assistant")
      turns.push({ role, parts: [...parseThought(message), ...said, ...parseCalls(message, calls, index)] });
    else turns.push({ role: role ?? "user", parts: [...said, ...parseImages(message)] });
  }
  return { instructions, turns: turns.filter(({ parts }) => parts.length > 0) };
}

/** Results that follow each other are one turn. */
function answer(turns: { readonly role: Turn["role"]; readonly parts: Part[] }[], result: ToolResultPart): void {
  const last = turns.at(-1);
  if (last?.parts.every(({ kind }) => kind === "tool-result") === true) last.parts.push(result);
  else turns.push({ role: "user", parts: [result] });
}

function parseThought(message: Fields): readonly Part[] {
  const text = message.text("thinking") ?? "";
  return text === "" ? [] : [{ kind: "reasoning", text }];
}

/** Calls may have ids, which clients are free to lose. */
function parseCalls(message: Fields, calls: WaitingCalls, index: number): readonly ToolCallPart[] {
  return message.each("tool_calls", mostCalls).map((call, at) => {
    call.ignore("type");
    const named = call.fields("function");
    if (named === undefined) throw call.wrong("function", "an object");
    named.ignore("index");
    const name = named.needText("name");
    const id = call.text("id") ?? callId(index, at, name);
    calls.called(id, name);
    const given = named.raw("arguments");
    const text = typeof given === "string" ? given : argumentsOf(named.record("arguments"));
    return { kind: "tool-call", id, name, arguments: text };
  });
}

/** A result names its call, or its tool, or neither: then it answers the call that has waited longest. */
function parseResult(message: Fields, text: string, calls: WaitingCalls, index: number): ToolResultPart {
  const named = message.text("tool_name") ?? message.text("name");
  const call = calls.answered(message.text("tool_call_id"), named);
  return {
    kind: "tool-result",
    callId: call?.id ?? callId(index, named ?? ""),
    ...present({ name: named ?? call?.name }),
    parts: [{ kind: "text", text }, ...parseImages(message)],
  };
}
