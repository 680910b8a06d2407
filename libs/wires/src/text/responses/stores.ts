import { isRecord, memberOf, recordsIn, type JsonRecord } from "../../json/fields.ts";
import { named, type MadeId, type StoreDialect, type VendorId } from "../../vendor-stores/members.ts";

/** Members that name objects in the vendor's store: earlier items, and everything that hosted tools made. */
export const stores = {
  // The service resolves this member.
  without: ["previous_response_id"],
  opaque: [
    "parameters",
    "schema",
    "json_schema",
    "input_schema",
    "output_schema",
    "metadata",
    "client_metadata",
    "arguments",
    "attributes",
    "env",
  ],
  named: ({ input }) => itemsIn(input, "input"),
  made: {
    needles: [
      '"container_id"',
      '"web_search_call"',
      '"file_search_call"',
      '"code_interpreter_call"',
      '"image_generation_call"',
      '"tool_search_call"',
      '"shell_call"',
      '"mcp_',
    ],
    whereKept: true,
    isRequested: () => true,
    read: ({ output }, kept) => recordsIn(output).flatMap((item) => madeByItem(item, kept)),
  },
} as const satisfies StoreDialect;

function madeByItem(item: JsonRecord, kept: boolean): readonly MadeId[] {
  const annotations = recordsIn(item["content"]).flatMap(({ annotations: found }) => recordsIn(found));
  return [
    ...(kept || !isWhole(item) ? named("item", item["id"]) : []),
    ...named("container", item["container_id"]),
    ...named("container", memberOf(item["environment"], "container_id")),
    ...annotations.filter(({ type }) => type === "container_file_citation" || type === "file_path").flatMap(citedFile),
  ];
}

function citedFile(annotation: JsonRecord): readonly MadeId[] {
  return [...named("container", annotation["container_id"]), ...named("file", annotation["file_id"])];
}

/** Types of items that are complete in themselves: their ids are never looked up. */
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

/** Items that are complete if they have the member that only the vendor could add. */
const wholeWith: Readonly<Record<string, string>> = {
  message: "content",
  reasoning: "encrypted_content",
  compaction: "encrypted_content",
  compaction_summary: "encrypted_content",
  image_generation_call: "result",
};

/**
 * Returns the items of a response's input that name an item in the vendor's store, by reference or by leaving out their
 * content. The gateway's own ids are in no vendor's store; only references to them are returned, to be resolved.
 */
function itemsIn(input: unknown, path: string): readonly VendorId[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown, at) => {
    const id = isRecord(item) && !isWhole(item) ? item["id"] : undefined;
    if (!isRecord(item) || typeof id !== "string" || id === "") return [];
    if (typeOf(item) !== "item_reference" && responseOfItem(id) !== undefined) return [];
    return [{ store: "item", id, path: `${path}[${at}].id` } as const];
  });
}

function isWhole(item: JsonRecord): boolean {
  const type = typeOf(item);
  if (selfContained.has(type)) return true;
  const needed = typeof type === "string" && Object.hasOwn(wholeWith, type) ? wholeWith[type] : undefined;
  return needed !== undefined && (item[needed] ?? undefined) !== undefined;
}

/** Returns an item's type; an item without one is a message, or a reference if it has no role. */
function typeOf({ type, role }: JsonRecord): unknown {
  return type ?? ((role ?? undefined) === undefined ? "item_reference" : "message");
}

/** Prefixes of items' ids. */
const prefixes = ["msg", "rs", "fc", "ctc", "ig", "cmp", "item"] as const;

/** Returns the id of an output item: equal in a stream and in the complete answer, unique to the answer. */
export function itemId(answerId: string, prefix: (typeof prefixes)[number], index: number): string {
  return `${prefix}_${answerId.slice(answerId.indexOf("_") + 1)}_${index}`;
}

const ownId = new RegExp(`^(?:${prefixes.join("|")})_([A-Za-z0-9_-]+)_\\d+$`);

/** Returns the id of an item's response, which the item's id contains; undefined for ids of other origin. */
export function responseOfItem(id: string): string | undefined {
  const [, answer] = ownId.exec(id) ?? [];
  return answer === undefined ? undefined : `resp_${answer}`;
}
