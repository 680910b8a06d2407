import { isRecord, type JsonRecord } from "../json/fields.ts";
import { responseOfItem } from "../text/responses/item-ids.ts";
import type { VendorId } from "./vendor-id.ts";

/** Items that say all that they mean: their id is never looked up. */
const selfContained: ReadonlySet<unknown> = new Set([
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "computer_call",
  "computer_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_approval_response",
  "compaction_trigger",
]);

/** Items that are whole where they bring what only the vendor could add. */
const wholeWith: Readonly<Record<string, string>> = {
  message: "content",
  reasoning: "encrypted_content",
  compaction: "encrypted_content",
  compaction_summary: "encrypted_content",
  image_generation_call: "result",
};

/**
 * Items of a response's input that name one in the vendor's store, by reference or by leaving their content out. An id
 * that this gateway made up is in no vendor's store; only a reference to it is returned, so that it can be resolved.
 */
export function itemsIn(input: unknown, path: string): readonly VendorId[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown, at) => {
    const id = isRecord(item) && !isWhole(item) ? item["id"] : undefined;
    if (!isRecord(item) || typeof id !== "string" || id === "") return [];
    if (typeOf(item) !== "item_reference" && responseOfItem(id) !== undefined) return [];
    return [{ store: "item", id, path: `${path}[${at}].id` } as const];
  });
}

/** Whether an item says all that it means. */
export function isWhole(item: JsonRecord): boolean {
  const type = typeOf(item);
  if (selfContained.has(type)) return true;
  const needed = typeof type === "string" && Object.hasOwn(wholeWith, type) ? wholeWith[type] : undefined;
  return needed !== undefined && (item[needed] ?? undefined) !== undefined;
}

/** An item without a type is a message, or a reference where it has no role. */
function typeOf({ type, role }: JsonRecord): unknown {
  return type ?? ((role ?? undefined) === undefined ? "item_reference" : "message");
}
