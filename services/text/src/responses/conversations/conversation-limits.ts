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

/** Describes the limit of a conversation that additional items exceed. */
export function problemOf({ maxItems, maxBytes, body }: ConversationLimits, bound: string): string {
  const max: Readonly<Record<string, string>> = {
    items: `${maxItems} items`,
    bytes: `${maxBytes} bytes after compression`,
    textBytes: `${body.maxBytes} bytes`,
    values: `${body.values} values`,
    members: `${body.members} members of objects`,
  };
  return `exceed the conversation's limit of ${max[bound] ?? bound}`;
}
