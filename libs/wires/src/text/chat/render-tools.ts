import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { customParameters } from "../hub/custom.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest, Tool, ToolChoice } from "../hub/request.ts";
import { searchName } from "../hub/search-wish.ts";
import { searchesTheWeb, takesNewestFields } from "./models.ts";
import { renderSearchOptions } from "./search.ts";

/**
 * `tools` with what depends on them, and `web_search_options`. Vendors refuse a choice, or a word on parallel calls,
 * where there are no tools.
 */
export function renderTools(request: TextRequest, model: string, unsupported: Unsupported): JsonObject {
  const { tools = [], toolChoice, parallelTools } = request;
  const newest = takesNewestFields(model);
  const allowed = newest ? tools : allowedOf(tools, toolChoice);
  const rendered = allowed.flatMap((tool) => renderTool(tool, newest, unsupported));
  const search = { web_search_options: renderSearch(tools, model, unsupported) };
  if (rendered.length === 0) {
    unsupported.noteIf("toolChoice", toolChoice);
    return search;
  }
  const choice = toolChoice === undefined ? undefined : renderChoice(toolChoice, tools, newest);
  unsupported.noteIf("toolChoice", toolChoice !== undefined && choice === undefined);
  return { tools: rendered, tool_choice: choice, parallel_tool_calls: parallelTools, ...search };
}

/** Where the vendor knows no list of allowed tools, the others are not sent to the model. */
function allowedOf(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
  const names = choice?.mode === "none" ? undefined : choice?.names;
  if (names === undefined || isForced(choice)) return tools;
  return tools.filter((tool) => !("name" in tool) || names.includes(tool.name));
}

/** Whether the choice is one tool that must be called. */
function isForced(choice: ToolChoice | undefined): boolean {
  return choice?.mode === "required" && choice.names?.length === 1;
}

function renderTool(tool: Tool, newest: boolean, unsupported: Unsupported): readonly JsonObject[] {
  if (tool.kind === "function") {
    const { name, description, parameters, strict, cache } = tool;
    unsupported.noteIf("tools.cache", cache);
    return [{ type: "function", function: present({ name, description, parameters, strict }) }];
  }
  if (tool.kind === "custom") {
    const { name, description, format } = tool;
    if (newest) return [{ type: "custom", custom: present({ name, description, format: renderGrammar(format) }) }];
    unsupported.noteIf("tools.format", format);
    return [{ type: "function", function: present({ name, description, parameters: customParameters }) }];
  }
  if (tool.kind === "web-search") return [];
  if (tool.wire !== "chat") throw unsupportedFailure(`tools: ${tool.name}`);
  return [tool.definition];
}

function renderGrammar(format: unknown): unknown {
  if (!isRecord(format) || format["type"] !== "grammar") return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

/** Agents of other wires offer a search with every request: where the model has none, the request goes without. */
function renderSearch(tools: readonly Tool[], model: string, unsupported: Unsupported): JsonObject | undefined {
  const search = tools.find((tool) => tool.kind === "web-search");
  if (search === undefined) return undefined;
  if (search.wire !== "chat" && !searchesTheWeb(model)) {
    unsupported.note("tools.web-search");
    return undefined;
  }
  return renderSearchOptions(search, unsupported);
}

function renderChoice(choice: ToolChoice, tools: readonly Tool[], newest: boolean): unknown {
  const { mode } = choice;
  const names = choice.names?.filter((name) => !isSearch(name, tools));
  if (names === undefined || mode === "none") return mode;
  // A model that searches does so unasked: there is no tool that could be forced.
  if (names.length === 0) return undefined;
  const chosen = names.map((name) => named(name, tools, newest));
  if (isForced(choice)) return chosen[0];
  return newest ? { type: "allowed_tools", allowed_tools: { mode, tools: chosen } } : mode;
}

function isSearch(name: string, tools: readonly Tool[]): boolean {
  return name === searchName && tools.some(({ kind }) => kind === "web-search");
}

function named(name: string, tools: readonly Tool[], newest: boolean): JsonObject {
  const custom = newest && tools.some((tool) => tool.kind === "custom" && tool.name === name);
  return custom ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
}
