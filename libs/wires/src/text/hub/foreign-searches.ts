import { isRecord } from "../../json/fields.ts";
import type { Unsupported } from "./field-support.ts";
import type { Part } from "./part.ts";
import type { TextRequest, TextWireName, Tool } from "./request.ts";

/** Matches tools that search among the request's tools; on wires without them, the model gets all tools. */
const toolSearch = /^tool_search(?:_tool_(?:regex|bm25))?$/;

/** Matches types of items and blocks that are steps of a vendor's search, and names of search tools in messages. */
const searchStep = /^(?:web_search(?:_call|_tool_result)?|tool_search_(?:call|output|tool_(?:regex|bm25|result)))$/;

/** Returns true for a step of a search. Other wires can leave it out, since the text after it states the result. */
export function isSearchStep(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { type, name } = value;
  const step = type === "server_tool_use" ? name : type;
  return typeof step === "string" && searchStep.test(step);
}

/**
 * Removes from a request the parts of searches that only vendors of another wire support, and reports them as lost:
 * steps of web searches in the history, so that a conversation can continue on this wire, and tools that search among
 * tools.
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
