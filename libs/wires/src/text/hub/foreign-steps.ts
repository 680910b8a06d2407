import { withoutUndefined } from "@modelgate/contracts";
import { asRecord, asRecords, asText, isRecord, memberOf, ownEntry, type JsonRecord } from "@modelgate/formats/json";
import type { Unsupported, TextRequest, TextWireName, Tool } from "./request.ts";
import type { Part } from "./part.ts";
import { refuseForced, withoutForeignSearches } from "./web-search.ts";

/** Matches the steps of a vendor's search, and the names of search tools on the messages wire. */
const searchStep =
  /^(?:web_search(?:_call|_tool_result)?|web_fetch(?:_tool_result)?|tool_search_(?:call|output|tool_(?:regex|bm25|result))|(?:google_search|google_maps|url_context|file_search|retrieval)_(?:call|result)|toolCall|toolResponse)$/;

/** Steps that are left out on other wires, with the names under which the losses are reported. */
const lostSteps: readonly (readonly [type: RegExp, word: string])[] = [
  [searchStep, "turn.search"],
  [/^program(?:_output)?$/, "turn.program"],
  [/^fallback$/, "turn.fallback"],
  [/^(?:agent_message|multi_agent_call(?:_output)?)$/, "turn.agents"],
  [/^(?:context_)?compaction$/, "turn.compaction"],
  [/^(?:mcp_server_tool|processing|code_execution)_(?:call|result)$/, "turn.tools"],
  [/^(?:executableCode|codeExecutionResult)$/, "turn.tools"],
  [/^(?:code_interpreter_call|mcp_(?:list_tools|call|approval_request|approval_response))$/, "turn.tools"],
  [/^(?:(?:bash_|text_editor_)?code_execution(?:_tool_result)?|mcp_tool_(?:use|result|listing))$/, "turn.tools"],
];

/**
 * Tools that are left out on other wires, with the names under which the losses are reported. The model can answer
 * without them.
 */
const lostTools: readonly (readonly [name: RegExp, word: string])[] = [
  [/^tool_search(?:_tool_(?:regex|bm25))?$/, "tools.tool-search"],
  [/^programmatic_tool_calling$/, "tools.programs"],
  [/^(?:googleMaps|google_maps)$/, "tools.google-maps"],
  [/^(?:urlContext|url_context)$/, "tools.url-context"],
  [/^web_fetch$/, "tools.web-fetch"],
  [/^mcp(?:_toolset)?$/, "tools.mcp"],
  [/^advisor$/, "tools.advisor"],
  [/^(?:codeExecution|code_execution)$/, "tools.code-execution"],
];

/** Tools of Google's two wires, by their names on the content wire. */
const googleTools: Readonly<Record<string, string>> = {
  googleMaps: "google_maps",
  urlContext: "url_context",
  codeExecution: "code_execution",
};

/**
 * Returns true for a step of a search. It can be left out on other wires, because the text after it states the result.
 */
export function isSearchStep(value: unknown): boolean {
  return searchStep.test(stepOf(value));
}

function stepOf(value: unknown): string {
  if (!isRecord(value)) return "";
  const { type, name } = value;
  // Parts of the content wire have no type.
  const step = type === "server_tool_use" ? name : (type ?? Object.keys(value)[0]);
  return typeof step === "string" ? step : "";
}

/**
 * Removes the steps and tools of other wires' vendors that an answer does not need, and converts steps to text if
 * possible. Any other step or tool remains, and is refused when it is rendered. `lacks` returns true for a tool of this
 * wire that the vendor does not have.
 */
export function withoutForeignSteps(
  request: TextRequest,
  wire: TextWireName,
  unsupported: Unsupported,
  lacks: (tool: Extract<Tool, { kind: "vendor" }>) => boolean = () => false,
): TextRequest {
  const { tools, turns, ...others } = withoutForeignSearches(request, wire, unsupported);
  const convertPart = (part: Part): readonly Part[] => {
    if (part.kind !== "vendor" || part.wire === wire) return [part];
    const text = textOf(part.value);
    if (text !== undefined) return [{ kind: "text", text }];
    return isLost(lostSteps, stepOf(part.value), unsupported) ? [] : [part];
  };
  const fitted = tools?.map((tool) => googleToolOn(wire, tool, unsupported));
  const isLeftOut = (tool: Tool): boolean => {
    if (tool.kind !== "vendor" || (tool.wire === wire && !lacks(tool))) return false;
    const isLeft = isLost(lostTools, tool.name, unsupported);
    if (isLeft) refuseForced(request, tool.name);
    return isLeft;
  };
  return withoutUndefined({
    ...others,
    tools: fitted?.filter((tool) => !isLeftOut(tool)),
    turns: turns.flatMap((turn) => withParts(turn, turn.parts.flatMap(convertPart))),
  });
}

/** Returns the equivalent tool of Google's other wire, without options; any other tool unchanged. */
function googleToolOn(wire: TextWireName, tool: Tool, unsupported: Unsupported): Tool {
  if (tool.kind !== "vendor") return tool;
  const pair = Object.entries(googleTools).find((names) => names.includes(tool.name));
  if (pair === undefined || tool.wire === wire) return tool;
  const [ofContent, ofInteractions] = pair;
  const { type: _, ...options } = tool.definition;
  if (tool.wire === "content" && wire === "interactions") {
    unsupported.noteIf("tools.options", Object.keys(options).length > 0);
    return { kind: "vendor", wire, name: ofInteractions, definition: { type: ofInteractions } };
  }
  if (tool.wire !== "interactions" || wire !== "content") return tool;
  unsupported.noteIf("tools.options", Object.keys(options).length > 0);
  return { kind: "vendor", wire, name: ofContent, definition: {} };
}

function textOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { type, author, recipient, content } = value;
  if (type === "compaction" && typeof content === "string") return `Summary of the earlier conversation:\n\n${content}`;
  if (type !== "agent_message") return (ownEntry(toolTexts, stepOf(value)) ?? codeOfContent)(value);
  const texts = asRecords(content).map(({ text }) => text);
  if (texts.length === 0 || !texts.every((text) => typeof text === "string")) return undefined;
  return `Message of the agent ${asText(author)} to ${asText(recipient)}:\n\n${texts.join("\n\n")}`;
}

function isLost(table: typeof lostSteps, name: string, unsupported: Unsupported): boolean {
  const field = table.find(([pattern]) => pattern.test(name))?.[1];
  unsupported.noteIf(field ?? "", field);
  return field !== undefined;
}

function withParts(turn: TextRequest["turns"][number], parts: readonly Part[]): TextRequest["turns"] {
  const isSame = parts.length === turn.parts.length && parts.every((part, index) => part === turn.parts[index]);
  return isSame ? [turn] : parts.length > 0 ? [{ ...turn, parts }] : [];
}

/** Functions that write the step of a vendor's tool as text, by the type of the step or the name of the tool. */
const toolTexts: Readonly<Record<string, (step: JsonRecord) => string | undefined>> = {
  code_execution_call: ({ arguments: args }) => codeText(memberOf(args, "language"), memberOf(args, "code")),
  code_execution_result: ({ result }) => outputText("code", result),
  code_interpreter_call: ({ code, outputs }) =>
    joinTexts([codeText("python", code), outputText("code", joinTexts(asRecords(outputs).map(({ logs }) => logs)))]),
  code_execution: ({ input }) => codeText("python", memberOf(input, "code")),
  bash_code_execution: ({ input }) => codeText("bash", memberOf(input, "command")),
  code_execution_tool_result: ({ content }) => outputText("code", printedIn(content)),
  bash_code_execution_tool_result: ({ content }) => outputText("code", printedIn(content)),
  mcp_call: ({ name, arguments: args, output }) =>
    joinTexts([callText(name, args), outputText(`tool ${asText(name)}`, output)]),
  mcp_tool_use: ({ name, input }) => callText(name, JSON.stringify(input)),
  mcp_tool_result: ({ content }) =>
    outputText("tool", typeof content === "string" ? content : joinTexts(asRecords(content).map(({ text }) => text))),
};

function codeOfContent({ executableCode, codeExecutionResult }: JsonRecord): string | undefined {
  const { language, code } = asRecord(executableCode);
  return codeText(language, code) ?? outputText("code", memberOf(codeExecutionResult, "output"));
}

function codeText(language: unknown, code: unknown): string | undefined {
  return typeof code === "string" ? `\`\`\`${asText(language).toLowerCase()}\n${code}\n\`\`\`` : undefined;
}

function callText(name: unknown, args: unknown): string | undefined {
  return typeof args === "string" ? `Call of the tool ${asText(name)}:\n\n${args}` : undefined;
}

function outputText(source: string, output: unknown): string | undefined {
  return typeof output === "string" && output !== "" ? `Output of the ${source}:\n\n${output}` : undefined;
}

function printedIn(content: unknown): string | undefined {
  return joinTexts([memberOf(content, "stdout"), memberOf(content, "stderr")]);
}

function joinTexts(values: readonly unknown[]): string | undefined {
  const texts = values.filter((value) => typeof value === "string" && value !== "");
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}
