import { present } from "@modelgate/contracts";
import { customParameters } from "../hub/custom.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { JsonObject, TextRequest, Tool } from "../hub/request.ts";
import { withCachePoint } from "./cache.ts";
import type { PartContext } from "./render-parts.ts";

/** Names that the vendor takes. */
const validName = /^[A-Za-z0-9_-]{1,64}$/;

const noParameters: JsonObject = { type: "object", properties: {} };

/**
 * Tools and which of them. The vendor wants the tools of every call in the history: where a client no longer offers
 * them, they are declared by their names. It has no word for calling none: the tools are left out, or the wish is lost.
 */
export function renderToolConfig(request: TextRequest, context: PartContext): JsonObject | undefined {
  const { tools = [], toolChoice } = request;
  const called = calledNames(request);
  const hides = toolChoice?.mode === "none" && called.length === 0;
  context.unsupported.noteIf("toolChoice", toolChoice !== undefined && tools.length === 0);
  context.unsupported.noteIf("toolChoice", toolChoice?.mode === "none" && tools.length > 0 && !hides);
  if (hides) return undefined;
  const narrow = toolChoice === undefined || forcesOne(toolChoice) ? undefined : toolChoice.names;
  const offered = tools.filter((tool) => narrow === undefined || ("name" in tool && narrow.includes(tool.name)));
  const all = offered.length > 0 ? offered.flatMap((tool) => renderTool(tool, context)) : called.map(specOfName);
  return all.length > 0 ? present({ tools: all, toolChoice: renderChoice(offered, toolChoice) }) : undefined;
}

function calledNames({ turns }: TextRequest): readonly string[] {
  const parts = turns.flatMap((turn) => turn.parts);
  return [...new Set(parts.flatMap((part) => (part.kind === "tool-call" ? [part.name] : [])))];
}

function specOfName(name: string): JsonObject {
  return { toolSpec: { name: valid(name), inputSchema: { json: noParameters } } };
}

function renderTool(tool: Tool, context: PartContext): readonly JsonObject[] {
  if (tool.kind === "web-search") throw unsupportedFailure("tools: web_search");
  if (tool.kind === "vendor") throw unsupportedFailure(`tools: ${tool.name}`);
  const { name, description } = tool;
  if (tool.kind === "custom") {
    context.unsupported.noteIf("tools.format", tool.format);
    return [{ toolSpec: present({ name: valid(name), description, inputSchema: { json: customParameters } }) }];
  }
  const toolSpec = present({
    name: valid(name),
    description: description === "" ? undefined : description,
    inputSchema: { json: tool.parameters ?? noParameters },
    strict: tool.strict === true ? true : undefined,
  });
  return withCachePoint([{ toolSpec }], tool.cache, context);
}

function valid(name: string): string {
  if (validName.test(name)) return name;
  throw unsupportedFailure("tools", `The vendor of this model cannot take a tool named ${name}.`);
}

function renderChoice(offered: readonly Tool[], choice: TextRequest["toolChoice"]): JsonObject | undefined {
  if (choice === undefined || choice.mode === "none" || offered.length === 0) return undefined;
  if (forcesOne(choice)) return { tool: { name: choice.names?.[0] } };
  return choice.mode === "required" ? { any: {} } : { auto: {} };
}

function forcesOne({ mode, names }: NonNullable<TextRequest["toolChoice"]>): boolean {
  return mode === "required" && names?.length === 1;
}
