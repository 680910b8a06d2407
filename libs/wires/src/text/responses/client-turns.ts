import { Failure } from "@modelgate/contracts";
import { type Fields, ownEntry } from "../../json/fields.ts";
import { requireTexts, resultParts } from "../hub/content.ts";
import type { Part, TextPart, ToolResultPart } from "../hub/part.ts";
import { efforts, type Effort, type Turn } from "../hub/request.ts";
import type { Envelope } from "../hub/signatures.ts";
import { qualifiedName } from "./namespaces.ts";
import { parseModelItem, carriedSignature, parseContent } from "./parse-items.ts";

const maxItems = 20_000;

/** Maximum number of tools in a request, and in an item. */
export const maxTools = 1_024;

interface OpenTurn {
  readonly role: Turn["role"];
  readonly parts: Part[];
  /** True if more items of the same side can join the turn: items of the model, or outputs of tools. */
  readonly joins: boolean;
}

/** State while items are read: adjacent items of the model become one turn, and so do adjacent tool outputs. */
class ItemTurns {
  readonly instructions: TextPart[] = [];
  readonly turns: OpenTurn[] = [];
  compactionTrigger = false;
  /** Settings that items change for the rest of the conversation; the last change counts. */
  effort: Effort | undefined;
  format: Fields | undefined;
  /** Definitions of tools that items add. */
  readonly tools: Fields[] = [];
  readonly #names = new Map<string, string>();

  addTurn(role: Turn["role"], parts: readonly Part[], joins: boolean): void {
    for (const part of parts) if (part.kind === "tool-call") this.#names.set(part.id, part.name);
    const last = this.turns.at(-1);
    if (joins && last?.joins === true && last.role === role) last.parts.push(...parts);
    else this.turns.push({ role, parts: [...parts], joins });
  }

  /** Adds a tool's output, with the tool's name if the call is known. */
  answer(result: ToolResultPart): void {
    const name = this.#names.get(result.callId);
    this.addTurn("user", [name === undefined ? result : { ...result, name }], true);
  }

  /** Attaches a signature from a separate item to the part that it belongs to; drops it if the part is missing. */
  attachSignature({ signature, call }: Envelope): void {
    const parts = this.turns.at(-1)?.parts ?? [];
    const index =
      call === undefined ? parts.length - 1 : parts.findIndex((part) => part.kind === "tool-call" && part.id === call);
    const part = parts[index];
    if (part?.kind === "tool-call" || part?.kind === "text" || part?.kind === "image")
      parts[index] = { ...part, signature };
  }
}

/** Reads `input`: a string, or items. Throws Failure (400) for an invalid item or an unresolved reference. */
export function parseTurns(body: Fields) {
  const conversation = new ItemTurns();
  // A request may have instructions only.
  const input = body.has("input") || body.has("instructions") ? body.raw("input") : body.needText("input");
  if (typeof input === "string") conversation.addTurn("user", [{ kind: "text", text: input }], false);
  else for (const item of body.each("input", maxItems)) readItem(conversation, item);
  const { instructions, compactionTrigger, effort, format, tools } = conversation;
  const changes = { effort, format, tools };
  return {
    instructions,
    compactionTrigger,
    changes,
    turns: conversation.turns.map(({ role, parts }) => ({ role, parts })),
  };
}

type ReadTurnItem = (conversation: ItemTurns, item: Fields) => void;

/** Readers of items that clients create; readers of the model's items are in `parse-items.ts`. */
const clientItems: Readonly<Record<string, ReadTurnItem>> = {
  message: readMessage,
  function_call_output: (conversation, item) => {
    if (item.has("call_id") || !item.has("name")) conversation.answer(readOutput(item, false));
    else conversation.addTurn("user", readLateOutput(item), false);
  },
  custom_tool_call_output: (conversation, item) => conversation.answer(readOutput(item, true)),
  item_reference: (_, item) => {
    const param = item.at("id");
    throw new Failure("invalid_value", `${param} refers to an unknown item.`, { param });
  },
  agent_message: (conversation, item) =>
    conversation.addTurn("user", [{ kind: "vendor", wire: "responses", value: item.whole() }], false),
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
  const signature = type === "reasoning" ? carriedSignature(item) : undefined;
  if (signature !== undefined) {
    item.whole();
    conversation.attachSignature(signature);
    return;
  }
  const parts = parseModelItem(item, type);
  if (parts === undefined) throw item.wrong("type", "a type of item that this gateway knows");
  conversation.addTurn("assistant", parts, true);
}

/** Returns an item's type; messages and references may leave out the member. */
function typeOf(item: Fields): string {
  const type = item.text("type");
  if (type !== undefined) return type;
  return item.has("role") ? "message" : item.has("id") ? "item_reference" : item.needText("type");
}

function readMessage(conversation: ItemTurns, item: Fields): void {
  const role = item.oneOf("role", ["user", "assistant", "system", "developer"]) ?? item.needText("role");
  item.ignore("id", "status");
  const parts = parseContent(item, "content");
  if (role === "assistant") conversation.addTurn("assistant", parts, true);
  else if (role === "user") conversation.addTurn("user", parts, false);
  else if (conversation.turns.length === 0) conversation.instructions.push(...requireTexts(item, "content", parts));
  else conversation.addTurn("system", requireTexts(item, "content", parts), false);
}

function readOutput(item: Fields, custom: boolean): ToolResultPart {
  item.ignore("id", "status");
  const parts = resultParts(item, "output", parseContent(item, "output"));
  return { kind: "tool-result", callId: item.needText("call_id"), parts, ...(custom ? { custom } : {}) };
}

/** Reads an output without a call: of an asynchronous tool, or one that the client reports by itself. */
function readLateOutput(item: Fields): readonly Part[] {
  item.ignore("id", "status");
  const name = qualifiedName(item.text("namespace"), item.needText("name"));
  const parts = resultParts(item, "output", parseContent(item, "output"));
  return [{ kind: "text", text: `Output of the tool ${name}:` }, ...parts];
}
