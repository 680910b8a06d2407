import { Failure } from "@modelgate/contracts";
import { type Fields, ownEntry } from "@modelgate/formats/json";
import { requireTexts, resultParts, TurnCollector } from "../hub/content.ts";
import type { Part, TextPart, ToolResultPart } from "../hub/part.ts";
import { efforts, type Effort } from "../hub/request.ts";
import { qualifiedName } from "./tools.ts";
import { envelopeOfOtherPart } from "../hub/signatures.ts";
import { parseModelItem, parseContent } from "./parse-items.ts";

const maxItems = 20_000;

/** Maximum number of tools in a request, and in an item. */
export const maxTools = 1_024;

/** Turns and settings of a conversation. */
class ItemTurns extends TurnCollector {
  readonly instructions: TextPart[] = [];
  compactionTrigger = false;
  /** Settings that an item has changed for the rest of the conversation. */
  effort: Effort | undefined;
  format: Fields | undefined;
  readonly tools: Fields[] = [];
}

/** Reads `input`. Throws Failure (400) for an invalid item or an unresolved reference. */
export function parseInput(body: Fields) {
  const conversation = new ItemTurns();
  // A request may have instructions only.
  const input = body.has("input") || body.has("instructions") ? body.raw("input") : body.needText("input");
  if (typeof input === "string") conversation.add("user", [{ kind: "text", text: input }]);
  else for (const item of body.each("input", maxItems)) readItem(conversation, item);
  const { instructions, turns, compactionTrigger, effort, format, tools } = conversation;
  return { instructions, turns, compactionTrigger, changes: { effort, format, tools } };
}

type ReadTurnItem = (conversation: ItemTurns, item: Fields) => void;

const clientItems: Readonly<Record<string, ReadTurnItem>> = {
  message: readMessage,
  function_call_output: (conversation, item) => {
    if (item.has("call_id") || !item.has("name")) conversation.answer(readOutput(item, false));
    else conversation.add("user", readLateOutput(item));
  },
  custom_tool_call_output: (conversation, item) => conversation.answer(readOutput(item, true)),
  item_reference: (_, item) => {
    const param = item.at("id");
    throw new Failure("invalid_value", `${param} refers to an unknown item.`, { param });
  },
  agent_message: (conversation, item) =>
    conversation.add("user", [{ kind: "vendor", wire: "responses", value: item.whole() }]),
  configuration_update: (conversation, item) => {
    item.ignore("id");
    conversation.effort = item.fields("reasoning")?.oneOf("effort", efforts) ?? conversation.effort;
    conversation.format = item.fields("text")?.fields("format") ?? conversation.format;
  },
  additional_tools: (conversation, item) => {
    item.ignore("id", "role");
    conversation.tools.push(...item.each("tools", maxTools));
  },
  compaction_trigger: (conversation, item) => {
    item.ignore("type");
    conversation.compactionTrigger = true;
  },
};

function readItem(conversation: ItemTurns, item: Fields): void {
  const type = typeOf(item);
  item.ignore("type");
  const read = ownEntry(clientItems, type);
  if (read !== undefined) {
    read(conversation, item);
    return;
  }
  const envelope = type === "reasoning" ? envelopeOfOtherPart(item.value["encrypted_content"]) : undefined;
  if (envelope !== undefined) {
    item.whole();
    conversation.attach(envelope);
    return;
  }
  const parts = parseModelItem(item, type);
  if (parts === undefined) throw item.wrong("type", "a type of item that this gateway knows");
  conversation.add("assistant", parts, true);
}

/** Returns the type of an item. Messages and references may have no type. */
function typeOf(item: Fields): string {
  const type = item.text("type");
  if (type !== undefined) return type;
  return item.has("role") ? "message" : item.has("id") ? "item_reference" : item.needText("type");
}

function readMessage(conversation: ItemTurns, item: Fields): void {
  const role = item.oneOf("role", ["user", "assistant", "system", "developer"]) ?? item.needText("role");
  item.ignore("id", "status");
  const parts = parseContent(item, "content");
  if (role === "assistant") conversation.add("assistant", parts, true);
  else if (role === "user") conversation.add("user", parts);
  else if (conversation.isEmpty) conversation.instructions.push(...requireTexts(item, "content", parts));
  else conversation.add("system", requireTexts(item, "content", parts));
}

function readOutput(item: Fields, custom: boolean): ToolResultPart {
  item.ignore("id", "status");
  const parts = resultParts(item, "output", parseContent(item, "output"));
  return { kind: "tool-result", callId: item.needText("call_id"), parts, ...(custom ? { custom } : {}) };
}

/**
 * Reads an output without a call id. A tool may be asynchronous, or the client may report an output that the model did
 * not request.
 */
function readLateOutput(item: Fields): readonly Part[] {
  item.ignore("id", "status");
  const name = qualifiedName(item.text("namespace"), item.needText("name"));
  const parts = resultParts(item, "output", parseContent(item, "output"));
  return [{ kind: "text", text: `Output of the tool ${name}:` }, ...parts];
}
