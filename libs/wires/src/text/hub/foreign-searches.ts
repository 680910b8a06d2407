import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { Unsupported } from "./field-support.ts";
import type { Part } from "./part.ts";
import type { TextRequest, TextWireName, Tool } from "./request.ts";

/** Matches types of items and blocks that are steps of a vendor's search, and names of search tools in messages. */
const searchStep = /^(?:web_search(?:_call|_tool_result)?|tool_search_(?:call|output|tool_(?:regex|bm25|result)))$/;

/** Steps that other wires can leave out, and the words that report them; calls made by a program have items too. */
const lostSteps: readonly (readonly [type: RegExp, word: string])[] = [
  [searchStep, "turn.search"],
  [/^program(?:_output)?$/, "turn.program"],
];

/** Tools that only arrange the calls of other tools: on wires without them, the model gets all tools. */
const lostTools: readonly (readonly [name: RegExp, word: string])[] = [
  [/^tool_search(?:_tool_(?:regex|bm25))?$/, "tools.tool-search"],
  [/^programmatic_tool_calling$/, "tools.programs"],
];

/** Returns true for a step of a search. Other wires can leave it out, since the text after it states the result. */
export function isSearchStep(value: unknown): boolean {
  return searchStep.test(stepOf(value));
}

function stepOf(value: unknown): string {
  if (!isRecord(value)) return "";
  const { type, name } = value;
  const step = type === "server_tool_use" ? name : type;
  return typeof step === "string" ? step : "";
}

/**
 * Removes from a request the parts of searches and programs that only vendors of another wire support, and reports them
 * as lost: their steps in the history, so that a conversation can continue on this wire, and tools that arrange calls of
 * other tools.
 */
export function withoutForeignSearches(
  request: TextRequest,
  wire: TextWireName,
  unsupported: Unsupported,
): TextRequest {
  const { tools, turns } = request;
  const isStep = (part: Part): boolean =>
    part.kind === "vendor" && part.wire !== wire && isLost(lostSteps, stepOf(part.value), unsupported);
  const arranges = (tool: Tool): boolean =>
    tool.kind === "vendor" && tool.wire !== wire && isLost(lostTools, tool.name, unsupported);
  return present({
    ...request,
    tools: tools?.filter((tool) => !arranges(tool)),
    turns: turns.flatMap((turn) => without(turn, isStep)),
  });
}

function isLost(table: typeof lostSteps, name: string, unsupported: Unsupported): boolean {
  const word = table.find(([pattern]) => pattern.test(name))?.[1];
  unsupported.noteIf(word ?? "", word);
  return word !== undefined;
}

function without(turn: TextRequest["turns"][number], isStep: (part: Part) => boolean): TextRequest["turns"] {
  const parts = turn.parts.filter((part) => !isStep(part));
  return parts.length === turn.parts.length ? [turn] : parts.length > 0 ? [{ ...turn, parts }] : [];
}
