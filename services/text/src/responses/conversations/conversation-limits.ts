import type { Logger } from "@modelgate/platform";
import type { JsonLimits } from "@modelgate/relay";
import type { CompactionCipher } from "../compaction/compaction-cipher.ts";
import type { RecordStore } from "../record-cipher.ts";
import type { RecordBounds } from "../record-reader.ts";

/** Dependencies for storing conversations. */
export interface ConversationRecords extends RecordStore {
  readonly compactions: CompactionCipher;
  readonly log: Pick<Logger, "warn">;
}

/** Limits of stored conversations. */
export interface ConversationLimits {
  /** Time in ms for which a conversation is stored after its last change. */
  readonly lifetimeMs: number;
  readonly maxItems: number;
  /** Maximum bytes of a conversation's items after compression. */
  readonly maxBytes: number;
  /** Limits of a request body. They also limit the items, because a request is sent with all items. */
  readonly body: RecordBounds & Pick<JsonLimits, "maxBytes">;
}

/** Returns the limits of the account's content as arguments of scripts. */
export function contentLimitsOf({ quota: { limits } }: Pick<RecordStore, "quota">) {
  return { maxContentBytes: limits.maxBytes, maxContentRecords: limits.maxRecords };
}

/** Returns the maximum of each size of a conversation, by the name that add-items.lua has for it. */
function maximaOf({ maxItems, maxBytes, body }: ConversationLimits): Readonly<Record<string, number>> {
  return { items: maxItems, bytes: maxBytes, textBytes: body.maxBytes, values: body.values, members: body.members };
}

const unitNames: Readonly<Record<string, string>> = {
  items: "items",
  bytes: "bytes after compression",
  textBytes: "bytes",
  values: "values",
  members: "members of objects",
};

/** Describes the limit of a conversation that additional items exceed. */
export function problemOf(limits: ConversationLimits, bound: string): string {
  return `exceed the conversation's limit of ${maximaOf(limits)[bound]} ${unitNames[bound]}`;
}

/**
 * Returns true if a turn did not fit into a conversation, according to the fields `full` and `bytes` of its head. A mark
 * has no effect after the limit was raised, or after an item was removed by a version that does not delete the mark.
 */
export function isFull(limits: ConversationLimits, mark: string | null = null, bytes: string | null = null): boolean {
  const [bound = "", limit, markedBytes] = mark?.split(" ") ?? [];
  const max = maximaOf(limits)[bound];
  return max !== undefined && max <= Number(limit) && Number(bytes) >= Number(markedBytes);
}
