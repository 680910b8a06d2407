import { withoutUndefined } from "@modelgate/contracts";
import { asRecord, type Fields, isRecord } from "@modelgate/formats/json";
import {
  requireTexts,
  parseCustom,
  parseFunction,
  resultParts,
  attachCitations,
  TurnCollector,
} from "../hub/content.ts";
import type { Part, TextPart } from "../hub/part.ts";
import type { Turn, Tool, ToolChoice } from "../hub/request.ts";
import { CallPairs, callId } from "../hub/tool-calls.ts";
import { parseCitations, parseModelMessage, parseCache, parseContent } from "./parts.ts";
import { parseSearch } from "./search.ts";

const maxMessages = 20_000;

class ChatTurns extends TurnCollector {
  readonly instructions: TextPart[] = [];
  readonly calls = new CallPairs();
  /** Ids of calls of free-text tools. */
  readonly custom = new Set<string>();

  addMessage(role: Turn["role"], parts: readonly Part[]): void {
    if (parts.length > 0) this.add(role, parts);
  }
}

export function parseTurns(body: Fields) {
  const dialogue = new ChatTurns();
  body.need("messages");
  for (const [index, message] of body.each("messages", maxMessages).entries()) {
    message.need("role");
    messageReaders[message.needOneOf("role", roles)](dialogue, message, index);
  }
  return { instructions: dialogue.instructions, turns: dialogue.turns };
}

const roles = ["system", "developer", "user", "assistant", "tool", "function"] as const;

type ReadMessage = (dialogue: ChatTurns, message: Fields, index: number) => void;

const messageReaders: Readonly<Record<(typeof roles)[number], ReadMessage>> = {
  system: readSystem,
  developer: readSystem,
  user: (dialogue, message) => dialogue.addMessage("user", parseContent(message, "content")),
  assistant: (dialogue, message, index) => {
    const cited = parseCitations(message.raw("annotations"));
    const parsed = parseModelMessage(message, { calls: dialogue.calls, path: [index], google: "content" });
    const parts = attachCitations(parsed, cited, []);
    for (const part of parts) if (part.kind === "tool-call" && part.custom === true) dialogue.custom.add(part.id);
    dialogue.addMessage("assistant", parts);
  },
  tool: (dialogue, message) => readResult(dialogue, message, message.needText("tool_call_id")),
  function: (dialogue, message, index) => {
    const name = message.needText("name");
    readResult(dialogue, message, dialogue.calls.answered(undefined, name) ?? callId(index, name));
  },
};

function readSystem(dialogue: ChatTurns, message: Fields): void {
  const parts = requireTexts(message, "content", parseContent(message, "content"));
  if (dialogue.isEmpty) dialogue.instructions.push(...parts);
  else dialogue.addMessage("system", parts);
}

function readResult(dialogue: ChatTurns, message: Fields, id: string): void {
  const parts = resultParts(message, "content", parseContent(message, "content"));
  const name = message.text("name") ?? dialogue.calls.nameOf(id);
  const cache = parseCache(message);
  dialogue.calls.answered(id, name ?? "");
  dialogue.answer(
    withoutUndefined({
      kind: "tool-result",
      callId: id,
      name,
      parts,
      ...(dialogue.custom.has(id) ? { custom: true } : {}),
      cache,
    }),
  );
}

const maxTools = 1_024;

/** Parses tools, legacy functions, and web search. */
export function parseTools(body: Fields): readonly Tool[] {
  const options = body.record("web_search_options");
  return [
    ...body.each("tools", maxTools).map(parseTool),
    ...body.each("functions", maxTools).map((declared) => parseFunction(declared)),
    ...(options === undefined ? [] : [parseSearch(options)]),
  ];
}

function parseTool(tool: Fields): Tool {
  const type = tool.text("type") ?? "function";
  if (type !== "function" && type !== "custom")
    return { kind: "vendor", wire: "chat", name: type, definition: tool.whole() };
  const declared = tool.needFields(type);
  const cache = parseCache(tool);
  if (type === "function") return withoutUndefined({ ...parseFunction(declared), cache });
  return parseCustom(declared, parseGrammar(declared.raw("format")));
}

/** Converts the format of a free-text tool. This wire nests a grammar one level deeper than the neutral form. */
function parseGrammar(format: unknown): unknown {
  if (!isRecord(format) || !isRecord(format["grammar"])) return format;
  const { grammar, ...others } = format;
  return { ...others, ...grammar };
}

const toolChoiceModes = ["auto", "none", "required"] as const;

/** Parses the tool choice. Throws Failure (400) if it forces a tool that the vendor runs. */
export function parseToolChoice(body: Fields): ToolChoice | undefined {
  const choice = body.raw("tool_choice");
  if (choice === undefined) return parseFunctionCall(body);
  body.ignore("function_call");
  if (typeof choice === "string") return { mode: body.oneOf("tool_choice", toolChoiceModes) ?? "auto" };
  if (!isRecord(choice) || choice["type"] !== "allowed_tools")
    return { mode: "required", names: [chosenToolName(body, choice)] };
  const fields = body.fields("tool_choice");
  fields?.ignore("type");
  const allowed = fields?.fields("allowed_tools");
  if (allowed === undefined) throw body.wrong("tool_choice", "a choice that names its allowed_tools");
  const names = allowed.each("tools", maxTools).map((tool) => chosenToolName(body, tool.whole()));
  return { mode: allowed.oneOf("mode", ["auto", "required"]) ?? "auto", names };
}

function chosenToolName(body: Fields, choice: unknown): string {
  const { type, function: functionChoice, custom } = asRecord(choice);
  const definition = type === "custom" ? custom : functionChoice;
  if (!isRecord(definition) || typeof definition["name"] !== "string") throw body.unsupported("tool_choice");
  return definition["name"];
}

function parseFunctionCall(body: Fields): ToolChoice | undefined {
  const choice = body.raw("function_call");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return { mode: body.oneOf("function_call", ["auto", "none"]) ?? "auto" };
  return { mode: "required", names: [body.fields("function_call")?.needText("name") ?? ""] };
}
