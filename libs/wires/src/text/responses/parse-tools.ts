import { present } from "@modelgate/contracts";
import { isRecord, type Fields } from "../../json/fields.ts";
import type { JsonObject, NamespacedTool, Tool, ToolChoice } from "../hub/request.ts";
import { searchName } from "../hub/search-wish.ts";
import { qualifiedName } from "./namespaces.ts";
import { isSearch, parseSearch } from "./search.ts";

/** Tools that one request may have. */
const mostTools = 1_024;

/** What `tools` says: tools, and whether the model is to make images (a tool on this wire, a modality elsewhere). */
export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly makesImages: boolean;
}

export function parseTools(body: Fields): ParsedTools {
  const all = body.each("tools", mostTools);
  const images = all.filter(isPlainImageTool);
  return { tools: all.filter((tool) => !images.includes(tool)).flatMap(parseTool), makesImages: images.length > 0 };
}

/** Image generation without options: any vendor that makes images can do it. */
function isPlainImageTool(tool: Fields): boolean {
  return tool.text("type") === "image_generation" && Object.keys(tool.value).length === 1;
}

function parseTool(tool: Fields): readonly Tool[] {
  const type = tool.needText("type");
  if (type === "function") return [parseFunction(tool)];
  if (type === "custom") return [parseCustom(tool)];
  if (type === "namespace" && isPlainNamespace(tool)) return parseNamespace(tool);
  const definition = tool.whole();
  if (isSearch(type)) return [parseSearch(definition)];
  return [{ kind: "vendor", wire: "responses", name: type, definition }];
}

/** A set of functions and free-text tools: its members can be sent one by one. */
function isPlainNamespace(namespace: Fields): boolean {
  const members = namespace.list("tools") ?? [];
  return members.every((tool) => isRecord(tool) && (tool["type"] === "function" || tool["type"] === "custom"));
}

function parseNamespace(set: Fields): readonly Tool[] {
  const namespace = set.needText("name");
  const about = set.text("description");
  return set.each("tools", mostTools).map((each, at) => {
    const tool = each.raw("type") === "custom" ? parseCustom(each) : parseFunction(each);
    const { name, description } = tool;
    const within: NamespacedTool = { namespace, about, name, description };
    const whole = at === 0 ? [about, description].filter((text) => text !== undefined).join("\n\n") : description;
    return { ...tool, name: qualifiedName(namespace, name), ...(whole === "" ? {} : { description: whole }), within };
  });
}

function parseCustom(tool: Fields): Extract<Tool, { kind: "custom" }> {
  const description = tool.text("description");
  const format = tool.raw("format");
  return present({
    kind: "custom",
    name: tool.needText("name"),
    description,
    format,
  });
}

function parseFunction(tool: Fields): Extract<Tool, { kind: "function" }> {
  const description = tool.text("description");
  const parameters = tool.record("parameters");
  return present({
    kind: "function",
    name: tool.needText("name"),
    description,
    parameters,
    // False is what every other wire means anyway.
    ...(tool.flag("strict") === true ? { strict: true } : {}),
  });
}

const modes = ["auto", "none", "required"] as const;

/** Which tools: functions and free-text tools by name, the vendor's own by type. */
export function parseToolChoice(body: Fields): ToolChoice | undefined {
  const choice = body.raw("tool_choice");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return { mode: body.word("tool_choice", modes) ?? "auto" };
  const fields = body.fields("tool_choice");
  if (fields === undefined) return undefined;
  if (fields.needText("type") !== "allowed_tools") return { mode: "required", names: [chosenName(fields)] };
  return {
    mode: fields.word("mode", ["auto", "required"]) ?? "auto",
    names: fields.each("tools", mostTools).map(chosenName),
  };
}

function chosenName(tool: Fields): string {
  const type = tool.needText("type");
  if (type === "function" || type === "custom") return qualifiedName(tool.text("namespace"), tool.needText("name"));
  return isSearch(type) ? searchName : type;
}

/** Whether a value of `tools` is worth echoing: objects only. */
export function isToolList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isRecord);
}
