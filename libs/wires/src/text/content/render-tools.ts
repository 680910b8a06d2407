import { present } from "@modelgate/contracts";
import { customParameters } from "../hub/custom.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import { searchName } from "../hub/search-wish.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest, Tool } from "../hub/request.ts";

/** Names that the vendor takes. */
const validName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

/**
 * Tools: all functions in one entry, each of the vendor's own in an entry of its own. Beside functions the vendor takes
 * its own only from a client that sends back every step of theirs, so another wire's wish for search gives way there.
 */
export function renderTools(
  tools: readonly Tool[] | undefined,
  unsupported: Unsupported,
): readonly JsonObject[] | undefined {
  const functionDeclarations = (tools ?? []).flatMap((tool) => declaration(tool, unsupported));
  const entries = [
    ...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []),
    ...(tools ?? []).flatMap((tool) => vendorEntry(tool, functionDeclarations.length > 0, unsupported)),
  ];
  return entries.length > 0 ? entries : undefined;
}

function declaration(tool: Tool, unsupported: Unsupported): readonly JsonObject[] {
  if (tool.kind !== "function" && tool.kind !== "custom") return [];
  const { name, description } = tool;
  if (!validName.test(name))
    throw unsupportedFailure("tools", `The vendor of this model cannot take a tool named ${name}.`);
  if (tool.kind === "custom") {
    unsupported.noteIf("tools.format", tool.format);
    return [present({ name, description, parametersJsonSchema: customParameters })];
  }
  unsupported.noteIf("tools.strict", tool.strict);
  unsupported.noteIf("tools.cache", tool.cache);
  return [present({ name, description, parametersJsonSchema: orNone(tool.parameters) })];
}

/** A tool without parameters leaves them out: an object without properties is refused. */
function orNone(parameters: JsonObject | undefined): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  const { type, properties, ...rest } = parameters;
  const empty = typeof properties !== "object" || properties === null || Object.keys(properties).length === 0;
  const says = Object.keys(rest).some((name) => name !== "additionalProperties" && name !== "required");
  return (type === undefined || type === "object") && empty && !says ? undefined : parameters;
}

function vendorEntry(tool: Tool, besideFunctions: boolean, unsupported: Unsupported): readonly JsonObject[] {
  if (tool.kind === "web-search") {
    const own = tool.wire === "content";
    if (!own && besideFunctions) {
      unsupported.note("tools.web-search");
      return [];
    }
    unsupported.noteIf("tools.web-search.options", !own && Object.keys(tool.options).length > 0);
    return [{ googleSearch: own ? tool.options : {} }];
  }
  if (tool.kind !== "vendor") return [];
  if (tool.wire !== "content") throw unsupportedFailure(`tools: ${tool.name}`);
  return [{ [tool.name]: tool.definition }];
}

const modes = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

/** Which functions; only some of them freely is the vendor's VALIDATED. It refuses a choice without functions. */
export function renderToolConfig({ tools, toolChoice }: TextRequest, unsupported: Unsupported): JsonObject | undefined {
  if (toolChoice === undefined) return undefined;
  if (tools?.some(({ kind }) => kind === "function" || kind === "custom") !== true) {
    unsupported.note("toolChoice");
    return undefined;
  }
  const { mode } = toolChoice;
  const searches = tools.some(({ kind }) => kind === "web-search");
  // The vendor's own search cannot be forced.
  const names = toolChoice.names?.filter((name) => !searches || name !== searchName);
  unsupported.noteIf("toolChoice", names?.length !== toolChoice.names?.length);
  if (names?.length === 0) return undefined;
  const some = names !== undefined && mode !== "none";
  const functionCallingConfig = present({
    mode: some && mode === "auto" ? "VALIDATED" : modes[mode],
    allowedFunctionNames: some ? names : undefined,
  });
  return { functionCallingConfig };
}
