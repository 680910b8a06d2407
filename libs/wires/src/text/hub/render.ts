import { createHash } from "node:crypto";
import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Unsupported, TextRequest, TextWireName, Tool } from "./request.ts";
import { unsupportedFailure, searchToolName } from "./request.ts";
import type { Part, VendorPart } from "./part.ts";

export type PartRenderers<Context> = {
  readonly [Kind in Part["kind"]]: (part: Extract<Part, { kind: Kind }>, context: Context) => readonly JsonRecord[];
};

export function renderPartBy<Context>(
  renderers: PartRenderers<Context>,
  part: Part,
  context: Context,
): readonly JsonRecord[] {
  // TypeScript does not see that the renderer of a kind gets only this kind.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const render = renderers[part.kind] as (part: Part, context: Context) => readonly JsonRecord[];
  return render(part, context);
}

/** Throws Failure unsupported_parameter, because no other vendor can read a compaction. */
export function refuseCompaction(): never {
  throw unsupportedFailure("a compaction of another vendor");
}

/** Returns the item of a vendor's tool. Throws Failure unsupported_parameter if the item belongs to another wire. */
export function requireItemOfWire({ wire, value }: VendorPart, targetWire: TextWireName): JsonRecord {
  if (wire === targetWire && isRecord(value)) return value;
  throw unsupportedFailure("items of another vendor's tools");
}

export type ToolRenderers = {
  readonly [Kind in Tool["kind"]]: (tool: Extract<Tool, { kind: Kind }>, unsupported: Unsupported) => JsonRecord;
};

export function renderToolBy(renderers: ToolRenderers, tool: Tool, unsupported: Unsupported): JsonRecord {
  if (tool.kind === "function") return renderers.function(tool, unsupported);
  if (tool.kind === "custom") return renderers.custom(tool, unsupported);
  return tool.kind === "vendor" ? renderers.vendor(tool, unsupported) : renderers["web-search"](tool, unsupported);
}

/**
 * Returns the definition of a vendor's tool. Throws Failure unsupported_parameter if the tool belongs to another wire.
 */
export function requireToolOfWire(
  { wire, name, definition }: Extract<Tool, { kind: "vendor" }>,
  targetWire: TextWireName,
): JsonRecord {
  if (wire === targetWire) return definition;
  throw unsupportedFailure(`tools: ${name}`);
}

/** Returns a tool's name. Throws Failure unsupported_parameter if the vendor does not accept it. */
export function requireToolName(name: string, pattern: RegExp): string {
  if (pattern.test(name)) return name;
  throw unsupportedFailure("tools", `The vendor of this model does not support a tool named ${name}.`);
}

/** Returns a call's id in a form that the vendor accepts. Equal ids remain equal. */
export function toValidId(id: string, pattern: RegExp, prefix: string): string {
  return pattern.test(id) ? id : `${prefix}_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
}

export function toolChoiceName(tool: Tool): string {
  return tool.kind === "web-search" ? searchToolName : tool.name;
}

export function forcesSingleTool(choice: TextRequest["toolChoice"]): boolean {
  return choice?.mode === "required" && choice.names?.length === 1;
}

export function forcesTool({ tools, toolChoice }: TextRequest): boolean {
  return toolChoice?.mode === "required" && tools !== undefined && tools.length > 0;
}

/**
 * Returns the tools to send on a wire that cannot list allowed tools: only the allowed ones. All tools are returned if
 * the choice is `none` or forces a single tool, because the wire can express that.
 */
export function offeredTools({ tools = [], toolChoice: choice }: TextRequest): readonly Tool[] {
  const names = choice?.mode === "none" || forcesSingleTool(choice) ? undefined : choice?.names;
  return names === undefined ? tools : tools.filter((tool) => names.includes(toolChoiceName(tool)));
}

/** Returns true for a text of white space only, which some vendors refuse. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

export function unlessEmpty(members: JsonRecord): JsonRecord | undefined {
  const present = withoutUndefined(members);
  return Object.keys(present).length > 0 ? present : undefined;
}
