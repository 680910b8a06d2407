import { Failure } from "@modelgate/contracts";
import { asText, isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Maximum characters of one item in a transcript. The middle of a longer item is cut out. */
const maxCharacters = 40_000;

/**
 * Renders a conversation as plain text to be summarized, which every model can read. Throws Failure
 * unsupported_parameter (400) for an item whose content only its vendor has.
 */
export function transcriptOf(items: readonly JsonObject[]): string {
  return items.map(renderItem).filter(Boolean).join("\n\n");
}

function renderItem(item: JsonObject): string {
  switch (item["type"] ?? "message") {
    case "message":
      return `${asText(item["role"])}: ${contentText(item["content"])}`;
    case "function_call":
    case "custom_tool_call":
      return `assistant calls ${asText(item["name"])} (${asText(item["call_id"])}): ${shorten(asText(item["arguments"] ?? item["input"]))}`;
    case "function_call_output":
    case "custom_tool_call_output":
      return `result of ${asText(item["call_id"])}: ${contentText(item["output"])}`;
    case "reasoning":
    case "compaction_trigger":
      return "";
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
    case "item_reference":
      throw new Failure("unsupported_parameter", "Only the vendor of a compaction or a reference can read it.", {
        param: "input",
      });
    default:
      return `${asText(item["type"])}: ${shorten(JSON.stringify(item, withoutData))}`;
  }
}

/** Members of tools' items that a model cannot use. */
const uselessMembers: ReadonlySet<string> = new Set(["type", "id", "status", "encrypted_content"]);

/** Replacer of JSON that leaves out data, such as images. */
function withoutData(name: string, value: unknown): unknown {
  if (uselessMembers.has(name)) return undefined;
  const isData = typeof value === "string" && (name === "result" || value.startsWith("data:"));
  return isData ? "[data]" : value;
}

/** Returns the text of a content. Images and files are only named. */
function contentText(content: unknown): string {
  if (typeof content === "string") return shorten(content);
  if (!Array.isArray(content)) return "";
  const parts = content.filter(isRecord).map((part) => {
    if (typeof part["text"] === "string") return part["text"];
    if (typeof part["refusal"] === "string") return part["refusal"];
    return `[${asText(part["filename"] ?? part["type"])}]`;
  });
  return shorten(parts.join("\n"));
}

function shorten(text: string): string {
  if (text.length <= maxCharacters) return text;
  const half = maxCharacters / 2;
  return `${text.slice(0, half)}\n[… ${text.length - maxCharacters} characters left out …]\n${text.slice(-half)}`;
}
