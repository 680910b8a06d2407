import { present } from "@modelgate/contracts";
import { own } from "../../json/own.ts";
import type { Fields } from "../../json/fields.ts";
import type { Part, ReasoningPart } from "../hub/part.ts";
import { qualifiedName } from "./namespaces.ts";
import { parseContent } from "./parse-parts.ts";
import { ownSealOf, sealOf } from "./seals.ts";

type ReadItem = (item: Fields) => readonly Part[];

/** Parts of a reasoning item's summary or content. */
const mostThoughts = 4_096;

/** Items that the model wrote, as they stand in an answer and come back in the next request. */
export const modelItems: Readonly<Record<string, ReadItem>> = {
  message: readMessage,
  function_call: readFunctionCall,
  custom_tool_call: readCustomCall,
  reasoning: readReasoning,
  compaction: readCompaction,
  compaction_summary: readCompaction,
  image_generation_call: readImageCall,
};

/** Items of tools that the vendor runs, with what the client sent for them: they travel to the same wire only. */
const vendorItems: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "computer_call",
  "computer_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "tool_search_call",
  "tool_search_output",
  "tool_search_call_output",
  "additional_tools",
  "program",
  "program_output",
]);

/** An item of the model or of a vendor's tool as parts; undefined for a type that is neither. */
export function parseModelItem(item: Fields, type: string): readonly Part[] | undefined {
  if (vendorItems.has(type)) return [{ kind: "vendor", wire: "responses", value: item.whole() }];
  const read = own(modelItems, type);
  return read?.(item);
}

function readMessage(item: Fields): readonly Part[] {
  item.ignore("type", "id", "status", "role");
  return parseContent(item, "content");
}

function readFunctionCall(item: Fields): readonly Part[] {
  item.ignore("type", "id", "status");
  const id = item.needText("call_id");
  return [{ kind: "tool-call", id, name: nameOf(item), arguments: item.text("arguments") ?? "" }];
}

function readCustomCall(item: Fields): readonly Part[] {
  item.ignore("type", "id", "status");
  const id = item.needText("call_id");
  return [{ kind: "tool-call", id, name: nameOf(item), arguments: item.text("input") ?? "", custom: true }];
}

function nameOf(item: Fields): string {
  return qualifiedName(item.text("namespace"), item.needText("name"));
}

/** Summary and content are two parts under one id; the seal is on the last of them. */
function readReasoning(item: Fields): readonly Part[] {
  item.ignore("type", "status");
  const id = item.text("id");
  const seal = sealOf(item);
  const named = id === undefined ? {} : { id };
  const parts: ReasoningPart[] = [
    { text: thoughts(item, "summary"), summary: true },
    { text: thoughts(item, "content"), summary: false },
  ]
    .filter(({ text }) => text !== "")
    .map((part) => ({ kind: "reasoning", ...part, ...named }));
  const last = parts.pop() ?? { kind: "reasoning", text: "", ...named };
  return [...parts, present({ ...last, seal })];
}

function thoughts(item: Fields, name: string): string {
  return item
    .each(name, mostThoughts)
    .map((part) => {
      part.ignore("type");
      return part.needText("text");
    })
    .join("\n\n");
}

function readCompaction(item: Fields): readonly Part[] {
  item.ignore("type", "created_by");
  const id = item.text("id");
  const seal = ownSealOf(item.needText("encrypted_content"));
  return [present({ kind: "compaction", id, seal })];
}

function readImageCall(item: Fields): readonly Part[] {
  item.ignore("type", "id", "status", "revised_prompt", "background", "quality", "size", "action");
  const format = item.text("output_format") ?? "png";
  const data = item.text("result");
  if (data === undefined) return [];
  return [{ kind: "image", source: { kind: "base64", mediaType: `image/${format}`, data } }];
}
