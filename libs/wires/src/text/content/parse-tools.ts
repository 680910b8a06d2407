import { present } from "@modelgate/contracts";
import { isRecord, type Fields } from "../../json/fields.ts";
import type { JsonObject, Tool, ToolChoice } from "../hub/request.ts";
import { jsonSchemaOf } from "./schema.ts";

/** Entries of `tools`, and functions in one of them. */
const mostTools = 1_024;

/** Tools: function declarations, the vendor's search, and its other tools as its own. */
export function parseTools(body: Fields): readonly Tool[] {
  return body.each("tools", mostTools).flatMap((entry) => {
    const functions = entry.each("functionDeclarations", mostTools).map(parseFunction);
    const others = Object.entries(entry.value)
      .filter(([name]) => name !== "functionDeclarations" && name !== "function_declarations")
      .map(([name, options]) => vendorTool(camelName(name), isRecord(options) ? options : {}));
    entry.ignore(...Object.keys(entry.value));
    return [...functions, ...others];
  });
}

function vendorTool(name: string, options: JsonObject): Tool {
  return name === "googleSearch"
    ? { kind: "web-search", wire: "content", options, ...(Object.keys(options).length > 0 ? { more: true } : {}) }
    : { kind: "vendor", wire: "content", name, definition: options };
}

function parseFunction(declared: Fields): Tool {
  const description = declared.text("description");
  const parameters = declared.record("parametersJsonSchema") ?? declared.record("parameters");
  const raw = declared.has("parametersJsonSchema");
  return present({
    kind: "function",
    name: declared.needText("name"),
    description,
    parameters: parameters === undefined ? undefined : raw ? parameters : jsonSchemaOf(parameters),
  });
}

const modes = {
  MODE_UNSPECIFIED: undefined,
  AUTO: "auto",
  VALIDATED: "auto",
  ANY: "required",
  NONE: "none",
} as const satisfies Record<string, ToolChoice["mode"] | undefined>;

export function parseToolChoice(body: Fields): ToolChoice | undefined {
  const config = body.fields("toolConfig")?.fields("functionCallingConfig");
  const word = config?.word("mode", ["MODE_UNSPECIFIED", "AUTO", "VALIDATED", "ANY", "NONE"]);
  const names = config?.texts("allowedFunctionNames");
  const mode = word === undefined ? undefined : modes[word];
  if (mode === undefined) return undefined;
  return names === undefined || names.length === 0 ? { mode } : { mode, names };
}

function camelName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
