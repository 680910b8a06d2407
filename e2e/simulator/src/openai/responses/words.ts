import { listAt, memberOf, textAt } from "../../checks/members.ts";
import { decodeText } from "../../core/opaque-data.ts";
import { compactionDataKind } from "./rules.ts";

/** Returns an item as text. Pictures and files are described by kind and size. */
export function textOfItem(item: unknown): string {
  switch (textAt(item, "type") ?? "message") {
    case "function_call":
    case "custom_tool_call":
      return textAt(item, "arguments") ?? textAt(item, "input") ?? "";
    case "function_call_output":
    case "custom_tool_call_output":
      return textOfContent(memberOf(item, "output"));
    case "reasoning":
      return listAt(item, "summary")
        .map((part) => textAt(part, "text") ?? "")
        .join("");
    case "compaction":
      return decodeText(compactionDataKind, textAt(item, "encrypted_content") ?? "") ?? "";
    default:
      return textOfContent(memberOf(item, "content"));
  }
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : []).map(textOfPart).join("");
}

/** Returns true for a part of a message, false for an item. */
export function isPart(value: unknown): boolean {
  return /^(?:input|output)_|^refusal$/.test(textAt(value, "type") ?? "");
}

/** Returns a part of a message as text. */
export function textOfPart(part: unknown): string {
  const size = (value: string | undefined): string => `${(value ?? "").length} characters`;
  const audio = memberOf(part, "input_audio");
  switch (textAt(part, "type") ?? "") {
    case "input_image":
      return `[image ${size(textAt(part, "image_url"))}]`;
    case "input_file":
      return `[file ${textAt(part, "filename") ?? "?"} ${size(textAt(part, "file_data") ?? textAt(part, "file_url"))}]`;
    case "input_audio":
      return `[audio ${textAt(audio, "format") ?? "?"} ${size(textAt(audio, "data"))}]`;
    default:
      return textAt(part, "text") ?? textAt(part, "refusal") ?? "";
  }
}
