import { present } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import type { Tool, ToolChoice } from "../hub/request.ts";
import { parseCache } from "./parse-parts.ts";
import { parseSearch } from "./search.ts";

/** Tools that one request may have. */
const mostTools = 1_024;

/** Tools, functions of old, and search on the web, which is a field of its own here. */
export function parseTools(body: Fields): readonly Tool[] {
  const options = body.record("web_search_options");
  return [
    ...body.each("tools", mostTools).map(parseTool),
    ...body.each("functions", mostTools).map((declared) => parseFunction(declared)),
    ...(options === undefined ? [] : [parseSearch(options)]),
  ];
}

function parseTool(tool: Fields): Tool {
  const type = tool.text("type") ?? "function";
  const declared = type === "function" || type === "custom" ? tool.fields(type) : undefined;
  if (declared === undefined && (type === "function" || type === "custom")) throw tool.wrong(type, "an object");
  if (declared === undefined) return { kind: "vendor", wire: "chat", name: type, definition: tool.whole() };
  const cache = parseCache(tool);
  if (type === "function") return present({ ...parseFunction(declared), cache });
  return present({
    kind: "custom",
    name: declared.needText("name"),
    description: declared.text("description"),
    format: parseGrammar(declared.raw("format")),
  });
}

/** A grammar stands one level deeper here than in the neutral form. */
function parseGrammar(format: unknown): unknown {
  if (!isRecord(format) || !isRecord(format["grammar"])) return format;
  const { grammar, ...others } = format;
  return { ...others, ...grammar };
}

function parseFunction(declared: Fields): Extract<Tool, { kind: "function" }> {
  return present({
    kind: "function",
    name: declared.needText("name"),
    description: declared.text("description"),
    parameters: declared.record("parameters"),
    // False is what every other wire means anyway.
    strict: declared.flag("strict") === true ? true : undefined,
  });
}

const modes = ["auto", "none", "required"] as const;

/** Throws Failure (400) for a forced tool of a vendor: no other wire can say it. */
export function parseToolChoice(body: Fields): ToolChoice | undefined {
  const choice = body.raw("tool_choice");
  if (choice === undefined) return parseFunctionCall(body);
  body.ignore("function_call");
  if (typeof choice === "string") return { mode: body.word("tool_choice", modes) ?? "auto" };
  if (!isRecord(choice) || choice["type"] !== "allowed_tools")
    return { mode: "required", names: [chosenName(body, choice)] };
  const fields = body.fields("tool_choice");
  fields?.ignore("type");
  const allowed = fields?.fields("allowed_tools");
  if (allowed === undefined) throw body.wrong("tool_choice", "a choice that names its allowed_tools");
  const names = allowed.each("tools", mostTools).map((tool) => chosenName(body, tool.whole()));
  return { mode: allowed.word("mode", ["auto", "required"]) ?? "auto", names };
}

/** The name in `{type, function: {name}}`, or of a free-text tool. */
function chosenName(body: Fields, choice: unknown): string {
  const { type, function: called, custom }: JsonRecord = isRecord(choice) ? choice : {};
  const named = type === "custom" ? custom : called;
  if (!isRecord(named) || typeof named["name"] !== "string") throw body.unsupported("tool_choice");
  return named["name"];
}

/** The choice among functions of old. */
function parseFunctionCall(body: Fields): ToolChoice | undefined {
  const choice = body.raw("function_call");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return { mode: body.word("function_call", ["auto", "none"]) ?? "auto" };
  return { mode: "required", names: [body.fields("function_call")?.needText("name") ?? ""] };
}
