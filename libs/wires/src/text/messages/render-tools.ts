import { present } from "@modelgate/contracts";
import { customParameters } from "../hub/custom.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import { searchName } from "../hub/search-wish.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest, Tool } from "../hub/request.ts";
import { renderCache } from "./cache.ts";
import { renderSearch } from "./search.ts";

/** Names that the vendor takes. */
const validName = /^[A-Za-z0-9_-]{1,128}$/;

/** Tools. Where only some may be called, the others are left out: the wire has no word for a choice among some. */
export function renderTools(
  { tools, toolChoice }: TextRequest,
  unsupported: Unsupported,
): readonly JsonObject[] | undefined {
  const narrow =
    toolChoice === undefined || toolChoice.mode === "none" || forcesOne(toolChoice) ? undefined : toolChoice.names;
  const all = (tools ?? []).filter((tool) => narrow === undefined || narrow.includes(nameOf(tool)));
  return all.length > 0 ? all.map((tool) => renderTool(tool, unsupported)) : undefined;
}

function nameOf(tool: Tool): string {
  return tool.kind === "web-search" ? searchName : tool.name;
}

type Renders = {
  readonly [Kind in Tool["kind"]]: (tool: Extract<Tool, { kind: Kind }>, unsupported: Unsupported) => JsonObject;
};

const renders: Renders = {
  function: ({ name, description, parameters, strict, cache }) =>
    present({
      name: valid(name),
      description,
      input_schema: schemaOf(name, parameters),
      strict: strict === true ? true : undefined,
      cache_control: renderCache(cache),
    }),
  custom: ({ name, description, format }, unsupported) => {
    unsupported.noteIf("tools.format", format);
    return present({ name: valid(name), description, input_schema: customParameters });
  },
  "web-search": renderSearch,
  vendor: ({ wire, name, definition }) => {
    if (wire === "messages") return definition;
    throw unsupportedFailure(`tools: ${name}`);
  },
};

function renderTool(tool: Tool, unsupported: Unsupported): JsonObject {
  if (tool.kind === "function") return renders.function(tool, unsupported);
  if (tool.kind === "custom") return renders.custom(tool, unsupported);
  return tool.kind === "vendor" ? renders.vendor(tool, unsupported) : renders["web-search"](tool, unsupported);
}

function valid(name: string): string {
  if (validName.test(name)) return name;
  throw unsupportedFailure("tools", `The vendor of this model cannot take a tool named ${name}.`);
}

/** The vendor wants a schema of an object, and says so in `type`. */
function schemaOf(name: string, parameters: JsonObject | undefined): JsonObject {
  if (parameters === undefined) return { type: "object", properties: {} };
  const { type } = parameters;
  if (type === "object") return parameters;
  if (type === undefined || type === null || (Array.isArray(type) && type.includes("object")))
    return { ...parameters, type: "object" };
  throw unsupportedFailure("tools", `The vendor of this model wants the arguments of ${name} to be an object.`);
}

const modes = { auto: "auto", none: "none", required: "any" } as const;

/** Which tools; the vendor refuses a choice without tools. */
export function renderToolChoice(request: TextRequest, unsupported: Unsupported): JsonObject | undefined {
  const { tools, toolChoice, parallelTools } = request;
  if (tools === undefined || tools.length === 0) {
    unsupported.noteIf("toolChoice", toolChoice);
    return undefined;
  }
  const one = parallelTools === false && toolChoice?.mode !== "none" ? true : undefined;
  if (toolChoice === undefined) return one === undefined ? undefined : { type: "auto", disable_parallel_tool_use: one };
  const chosen = forcesOne(toolChoice)
    ? { type: "tool", name: toolChoice.names?.[0] }
    : { type: modes[toolChoice.mode] };
  return present({ ...chosen, disable_parallel_tool_use: one });
}

function forcesOne({ mode, names }: NonNullable<TextRequest["toolChoice"]>): boolean {
  return mode === "required" && names?.length === 1;
}
