import { createHash } from "node:crypto";
import { isRecord, memberOf, ownEntry, asRecords, asText, type JsonRecord, splitWords } from "@modelgate/formats/json";
import { createdId, type CreatedId, type StoreDialect, type VendorId } from "../../vendor-stores/members.ts";
import { isSearchStep } from "../hub/foreign-steps.ts";

/** Rules for finding objects in the vendor's store. */
export const stores = {
  // The text service replaces this member by the earlier items.
  without: ["previous_response_id"],
  opaque: splitWords(`
    parameters schema json_schema input_schema output_schema metadata client_metadata arguments attributes env
  `),
  named: ({ input }) => itemsIn(input, "input"),
  created: {
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
    onlyIfStored: true,
    isRequested: () => true,
    read: ({ output }, isStored) => asRecords(output).flatMap((item) => createdByItem(item, isStored)),
  },
} as const satisfies StoreDialect;

function createdByItem(item: JsonRecord, isStored: boolean): readonly CreatedId[] {
  const annotations = asRecords(item["content"]).flatMap(({ annotations: list }) => asRecords(list));
  return [
    ...(isStored || !hasAllContent(item) ? createdId("item", item["id"]) : []),
    ...createdId("container", item["container_id"]),
    ...createdId("container", memberOf(item["environment"], "container_id")),
    ...annotations.filter(({ type }) => type === "container_file_citation" || type === "file_path").flatMap(citedFile),
  ];
}

function citedFile(annotation: JsonRecord): readonly CreatedId[] {
  return [...createdId("container", annotation["container_id"]), ...createdId("file", annotation["file_id"])];
}

/** Types of items that contain all their content. Vendors never look up the ids of such items. */
const selfContainedTypes: ReadonlySet<string> = new Set(
  splitWords(`
    function_call function_call_output custom_tool_call custom_tool_call_output computer_call
    computer_call_output local_shell_call local_shell_call_output shell_call_output apply_patch_call
    apply_patch_call_output mcp_approval_response compaction_trigger
  `),
);

/**
 * Members whose presence means that an item contains all its content, by the type of the item. Otherwise, the vendor
 * must look up its id.
 */
const memberWithAllContent: Readonly<Record<string, string>> = {
  message: "content",
  reasoning: "encrypted_content",
  compaction: "encrypted_content",
  compaction_summary: "encrypted_content",
  image_generation_call: "result",
};

/**
 * Members that contain only a part of an item's content, by the type of the item. A vendor with a store looks up the ids
 * of such items; other vendors read the members.
 */
const contentMembers: Readonly<Record<string, readonly string[]>> = {
  reasoning: ["content", "summary"],
  web_search_call: ["action"],
  file_search_call: ["results"],
  code_interpreter_call: ["code"],
  mcp_call: ["output"],
  mcp_list_tools: ["tools"],
};

/**
 * Returns the items of the input whose ids a vendor may look up or refuse. An id that the gateway created can be
 * removed even without content, because no vendor's store has it.
 */
function itemsIn(input: unknown, path: string): readonly VendorId[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown, index) => {
    const id = memberOf(item, "id");
    if (!isRecord(item) || typeof id !== "string" || id === "") return [];
    const isComplete = hasAllContent(item);
    if (isComplete && hasAcceptedId(item, id)) return [];
    const vendorId = { store: "item", id, path: `${path}[${index}].id` } as const;
    const isReference = typeOf(item) === "item_reference";
    const isRemovable = isComplete || hasContent(item) || (!isReference && responseOfItem(id) !== undefined);
    return [isRemovable ? { ...vendorId, isRemovable } : vendorId];
  });
}

function hasContent(item: JsonRecord): boolean {
  const members = ownEntry(contentMembers, typeOf(item)) ?? [];
  return members.some((name) => {
    const value = item[name] ?? undefined;
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
}

/** Prefixes that the vendor requires of ids, by the type of the item. */
const demandedPrefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fc",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctc",
};

/** Maximum length of an item's id that this wire's vendor accepts. */
const maxIdCharacters = 64;

function hasAcceptedId(item: JsonRecord, id: string): boolean {
  return id.length <= maxIdCharacters && id.startsWith(ownEntry(demandedPrefixes, typeOf(item)) ?? "");
}

/** An input from which ids that the vendor does not have were removed. */
interface FittedItems {
  readonly items: readonly unknown[];
  readonly dropped: readonly string[];
}

/**
 * Replaces or removes ids that the vendor's store does not have. OpenAI (`isStrict`) looks up every id. So for OpenAI,
 * an item with all its content loses its id, and any other item is left out. Other vendors read the content of an item.
 * An item without all its content gets an id that no store has, because these vendors may require an id.
 */
export function withoutForeignIds(
  input: readonly unknown[],
  foreign: ReadonlySet<string>,
  isStrict: boolean,
): FittedItems {
  const dropped = new Set<string>();
  const items = input.flatMap((item): readonly unknown[] => {
    const id = memberOf(item, "id");
    if (!isRecord(item) || typeof id !== "string" || !foreign.has(id)) return [item];
    if (hasAllContent(item)) return isStrict ? [{ ...item, id: undefined }] : [item];
    if (!isStrict) return [{ ...item, id: unknownId(id) }];
    const type = typeOf(item);
    dropped.add(type === "reasoning" ? "turn.reasoning" : isSearchStep(item) ? "turn.search" : `input.${type}`);
    return [];
  });
  return { items, dropped: [...dropped] };
}

/** Returns an id that no vendor's store has. The same id always gives the same result. */
function unknownId(id: string): string {
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 32);
  return `${/^[a-z]{1,8}_/.exec(id)?.[0] ?? "item_"}${hash}`;
}

function hasAllContent(item: JsonRecord): boolean {
  const type = typeOf(item);
  if (selfContainedTypes.has(type)) return true;
  const needed = ownEntry(memberWithAllContent, type);
  return needed !== undefined && (item[needed] ?? undefined) !== undefined;
}

/** Returns the type of an item. Without a type, it is a message if it has a role, and otherwise a reference. */
function typeOf({ type, role }: JsonRecord): string {
  if ((type ?? undefined) !== undefined) return asText(type);
  return (role ?? undefined) === undefined ? "item_reference" : "message";
}

const prefixes = ["msg", "rs", "fc", "ctc", "ig", "cmp", "item"] as const;

/** Returns an output item's id, which is the same in the stream and in the complete answer. */
export function itemId(answerId: string, prefix: (typeof prefixes)[number], index: number): string {
  return `${prefix}_${answerId.slice(answerId.indexOf("_") + 1)}_${index}`;
}

const ownId = new RegExp(`^(?:${prefixes.join("|")})_([A-Za-z0-9_-]+)_\\d+$`);

/** Returns the id of the response in an item's id; undefined for ids from vendors. */
export function responseOfItem(id: string): string | undefined {
  const [, answer] = ownId.exec(id) ?? [];
  return answer === undefined ? undefined : `resp_${answer}`;
}
