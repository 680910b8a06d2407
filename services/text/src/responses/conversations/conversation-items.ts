import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** What ids of items begin with, by their type. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
  compaction: "cmp",
};

/** Items as a conversation keeps them: each with an id, messages with their parts. */
export function keptItems(items: readonly JsonObject[], newId: () => string): readonly JsonObject[] {
  return items.map((item) => {
    const type = typeof item["type"] === "string" ? item["type"] : "message";
    const id =
      typeof item["id"] === "string" && item["id"] !== "" ? item["id"] : `${prefixes[type] ?? "item"}_${newId()}`;
    const named = { ...item, id, type, status: item["status"] ?? "completed" };
    return type === "message" ? { ...named, content: partsOf(item) } : named;
  });
}

function partsOf({ role, content }: JsonObject): readonly JsonObject[] {
  if (typeof content !== "string") return Array.isArray(content) ? content.filter(isRecord) : [];
  return [
    role === "assistant"
      ? { type: "output_text", text: content, annotations: [] }
      : { type: "input_text", text: content },
  ];
}
