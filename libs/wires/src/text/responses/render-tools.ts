import { present } from "@modelgate/contracts";
import { unsupportedFailure } from "../hub/field-support.ts";
import { searchName } from "../hub/search-wish.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, NamespacedTool, TextRequest, Tool } from "../hub/request.ts";
import { localNames, namespaceOf } from "./namespaces.ts";
import { renderSearch } from "./search.ts";

/** Tools; an image wanted from the model is a tool on this wire. */
export function renderTools(
  { tools, modalities }: TextRequest,
  unsupported: Unsupported,
): readonly JsonObject[] | undefined {
  const images = modalities?.includes("image") === true ? [{ type: "image_generation" }] : [];
  const sets = setsOf(tools ?? []).flatMap(({ within, members }) => {
    const rendered = members.map((tool) => renderTool(tool, unsupported));
    return within === undefined ? rendered : [namespaceOf(within, rendered)];
  });
  const all = [...sets, ...images];
  return all.length > 0 ? all : undefined;
}

interface ToolSet {
  readonly within: NamespacedTool | undefined;
  readonly members: Tool[];
}

/** Neighbours that stand in one namespace, or in none. */
function setsOf(tools: readonly Tool[]): readonly ToolSet[] {
  const sets: ToolSet[] = [];
  for (const tool of tools) {
    const within = tool.kind === "function" || tool.kind === "custom" ? tool.within : undefined;
    const last = sets.at(-1);
    if (last?.within?.namespace === within?.namespace && last !== undefined) last.members.push(tool);
    else sets.push({ within, members: [tool] });
  }
  return sets;
}

type Renders = {
  readonly [Kind in Tool["kind"]]: (tool: Extract<Tool, { kind: Kind }>, unsupported: Unsupported) => JsonObject;
};

const renders: Renders = {
  function: ({ name, description, parameters, strict, cache, within }, unsupported) => {
    unsupported.noteIf("tools.cache", cache);
    // Absent means true at the vendor, and false everywhere else.
    return present({
      type: "function",
      ...named(within ?? { name, description }),
      parameters: parameters ?? null,
      strict: strict ?? false,
    });
  },
  custom: ({ name, description, format, within }) =>
    present({ type: "custom", ...named(within ?? { name, description }), format }),
  "web-search": renderSearch,
  vendor: ({ wire, name, definition }) => {
    if (wire === "responses") return definition;
    throw unsupportedFailure(`tools: ${name}`);
  },
};

function named({ name, description }: Pick<NamespacedTool, "name" | "description">): JsonObject {
  return { name, description };
}

function renderTool(tool: Tool, unsupported: Unsupported): JsonObject {
  if (tool.kind === "function") return renders.function(tool, unsupported);
  if (tool.kind === "custom") return renders.custom(tool, unsupported);
  return tool.kind === "vendor" ? renders.vendor(tool, unsupported) : renders["web-search"](tool, unsupported);
}

/** Which tools; the vendor refuses a choice without tools. */
export function renderToolChoice({ tools, toolChoice }: TextRequest, unsupported: Unsupported): unknown {
  if (toolChoice === undefined) return undefined;
  if (tools === undefined || tools.length === 0) {
    unsupported.note("toolChoice");
    return undefined;
  }
  const { mode, names } = toolChoice;
  if (names === undefined || mode === "none") return mode;
  const local = localNames(tools);
  const chosen = names.map((name) => {
    const type = typeOf(tools, name);
    return type === "function" || type === "custom" ? { type, ...(local.get(name) ?? { name }) } : { type };
  });
  return mode === "required" && chosen.length === 1 ? chosen[0] : { type: "allowed_tools", mode, tools: chosen };
}

/** How a chosen tool is called: the vendor's own go by their type alone. */
function typeOf(tools: readonly Tool[], name: string): string {
  const tool = tools.find((each) => (each.kind === "web-search" ? searchName : each.name) === name);
  if (tool?.kind === "web-search") return "web_search";
  return tool?.kind === "custom" || tool?.kind === "vendor" ? (tool.kind === "custom" ? "custom" : name) : "function";
}
