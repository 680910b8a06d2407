import { present } from "@modelgate/contracts";
import { asRecord, asRecords, asText, isRecord, memberOf, type JsonRecord } from "../../json/fields.ts";
import type { Unsupported } from "./field-support.ts";
import type { Part } from "./part.ts";
import type { TextRequest, TextWireName, Tool } from "./request.ts";

/** Matches types of items and blocks that are steps of a vendor's search, and names of search tools in messages. */
const searchStep =
  /^(?:web_search(?:_call|_tool_result)?|tool_search_(?:call|output|tool_(?:regex|bm25|result))|(?:google_search|google_maps|url_context|file_search|retrieval)_(?:call|result)|toolCall|toolResponse)$/;

/**
 * Steps that other wires can leave out, and the words that report them. Calls made by a program have items too. A
 * `fallback` only marks the change of the model that answers.
 */
const lostSteps: readonly (readonly [type: RegExp, word: string])[] = [
  [searchStep, "turn.search"],
  [/^program(?:_output)?$/, "turn.program"],
  [/^fallback$/, "turn.fallback"],
  [/^(?:agent_message|multi_agent_call(?:_output)?)$/, "turn.agents"],
  [/^(?:context_)?compaction$/, "turn.compaction"],
  [/^(?:mcp_server_tool|processing|code_execution)_(?:call|result)$/, "turn.tools"],
  [/^(?:executableCode|codeExecutionResult)$/, "turn.tools"],
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
  // Parts of the content wire have no type; the first member names their kind.
  const step = type === "server_tool_use" ? name : (type ?? Object.keys(value)[0]);
  return typeof step === "string" ? step : "";
}

/**
 * Removes from a request the parts of searches, programs and agents that only vendors of another wire support, and
 * reports them as lost: their steps in the history, so that a conversation can continue on this wire, and tools that
 * arrange calls of other tools. Steps with a readable text become texts.
 */
export function withoutForeignSteps(request: TextRequest, wire: TextWireName, unsupported: Unsupported): TextRequest {
  const { tools, turns } = request;
  const kept = (part: Part): readonly Part[] => {
    if (part.kind !== "vendor" || part.wire === wire) return [part];
    const text = textOf(part.value);
    if (text !== undefined) return [{ kind: "text", text }];
    return isLost(lostSteps, stepOf(part.value), unsupported) ? [] : [part];
  };
  const arranges = (tool: Tool): boolean =>
    tool.kind === "vendor" && tool.wire !== wire && isLost(lostTools, tool.name, unsupported);
  return present({
    ...request,
    tools: tools?.filter((tool) => !arranges(tool)),
    turns: turns.flatMap((turn) => withParts(turn, turn.parts.flatMap(kept))),
  });
}

/**
 * Returns the text of a message between agents, of a compaction, or of code that Google ran and its output; undefined if
 * it has none that can be read.
 */
function textOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { type, author, recipient, content } = value;
  if (type === "compaction" && typeof content === "string") return `Summary of the earlier conversation:\n\n${content}`;
  if (type !== "agent_message") return codeIn(value);
  const texts = asRecords(content).map(({ text }) => text);
  if (texts.length === 0 || !texts.every((text) => typeof text === "string")) return undefined;
  return `Message of the agent ${asText(author)} to ${asText(recipient)}:\n\n${texts.join("\n\n")}`;
}

function isLost(table: typeof lostSteps, name: string, unsupported: Unsupported): boolean {
  const word = table.find(([pattern]) => pattern.test(name))?.[1];
  unsupported.noteIf(word ?? "", word);
  return word !== undefined;
}

function withParts(turn: TextRequest["turns"][number], parts: readonly Part[]): TextRequest["turns"] {
  const isSame = parts.length === turn.parts.length && parts.every((part, at) => part === turn.parts[at]);
  return isSame ? [turn] : parts.length > 0 ? [{ ...turn, parts }] : [];
}

/** Returns the text of a step in which Google ran code, or of its output; undefined for any other step. */
function codeIn({
  type,
  arguments: args,
  result,
  executableCode,
  codeExecutionResult,
}: JsonRecord): string | undefined {
  const { language, code } = asRecord(type === "code_execution_call" ? args : executableCode);
  if (typeof code === "string") return `\`\`\`${asText(language).toLowerCase()}\n${code}\n\`\`\``;
  const output = type === "code_execution_result" ? result : memberOf(codeExecutionResult, "output");
  return typeof output === "string" && output !== "" ? `Output of the code:\n\n${output}` : undefined;
}
