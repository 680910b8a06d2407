import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import { referenceOf } from "../conversation.ts";

/** Prefixes of item ids, by type of the item. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
  compaction: "cmp",
};

/** Maximum characters of an item id from a client. */
const maxIdCharacters = 200;

/** Returns items in their stored form, with unique ids. An id that is missing, too long or in `usedIds` is replaced. */
export function identifyItems(
  items: readonly JsonObject[],
  newId: () => string,
  usedIds: Iterable<string> = [],
): readonly IdentifiedItem[] {
  const takenIds = new Set(usedIds);
  return items.map((item) => {
    const type = typeOf(item);
    const id = isNewId(item["id"], takenIds) ? item["id"] : `${prefixes[type] ?? "item"}_${newId()}`;
    takenIds.add(id);
    const identified = { ...item, id, type, status: item["status"] ?? "completed" };
    return type === "message" ? { ...identified, content: partsOf(item) } : identified;
  });
}

/** An item in its stored form. */
export interface IdentifiedItem extends JsonObject {
  readonly id: string;
}

function typeOf(item: JsonObject): string {
  if (typeof item["type"] === "string") return item["type"];
  return referenceOf(item) === undefined ? "message" : "item_reference";
}

/** Leaves out references to the items `storedIds`, which the conversation has already. */
export function withoutReferences<Item extends JsonObject>(
  items: readonly Item[],
  storedIds: readonly string[],
): readonly Item[] {
  return items.filter((item) => !storedIds.includes(referenceOf(item) ?? ""));
}

function isNewId(id: unknown, takenIds: ReadonlySet<string>): id is string {
  return typeof id === "string" && id !== "" && id.length <= maxIdCharacters && !takenIds.has(id);
}

function partsOf({ role, content }: JsonObject): readonly JsonObject[] {
  if (typeof content !== "string") return Array.isArray(content) ? content.filter(isRecord) : [];
  return [
    role === "assistant"
      ? { type: "output_text", text: content, annotations: [] }
      : { type: "input_text", text: content },
  ];
}
