import { isRecord } from "../../json/fields.ts";
import type { Unsupported } from "./field-support.ts";
import type { Part } from "./part.ts";
import type { TextRequest, TextWireName, Tool } from "./request.ts";

/** Search among the tools themselves, by its names on the wires that have it: elsewhere the model gets all tools anyway. */
const toolSearch = /^tool_search(?:_tool_(?:regex|bm25))?$/;

/** Types of items and blocks that are steps of a search which the vendor ran; of a call of messages, its tool's name. */
const searchStep = /^(?:web_search(?:_call|_tool_result)?|tool_search_(?:call|output|tool_(?:regex|bm25|result)))$/;

/** Returns true if others can do without it: the text after it says what was found. */
function isSearchStep(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { type, name } = value;
  const step = type === "server_tool_use" ? name : type;
  return typeof step === "string" && searchStep.test(step);
}

/**
 * A request without what other wires' vendors search by themselves, each kind noted as lost: steps of their searches in
 * the history, so that a conversation can go on elsewhere, and their search among tools.
 */
export function withoutForeignSearches(
  request: TextRequest,
  wire: TextWireName,
  unsupported: Unsupported,
): TextRequest {
  const { tools, turns } = request;
  const isSearch = (part: Part): boolean => part.kind === "vendor" && part.wire !== wire && isSearchStep(part.value);
  const searchesTools = (tool: Tool): boolean =>
    tool.kind === "vendor" && tool.wire !== wire && toolSearch.test(tool.name);
  const [steps, search] = [turns.some(({ parts }) => parts.some(isSearch)), tools?.some(searchesTools) === true];
  unsupported.noteIf("turn.search", steps);
  unsupported.noteIf("tools.tool-search", search);
  return {
    ...request,
    ...(search ? { tools: tools?.filter((tool) => !searchesTools(tool)) } : {}),
    ...(steps ? { turns: turns.flatMap((turn) => without(turn, isSearch)) } : {}),
  };
}

function without(turn: TextRequest["turns"][number], isLost: (part: Part) => boolean): TextRequest["turns"] {
  const parts = turn.parts.filter((part) => !isLost(part));
  return parts.length > 0 ? [{ ...turn, parts }] : [];
}
