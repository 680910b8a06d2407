import { openSealer, type Secrets } from "@modelgate/platform";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Prefix of every compaction of ours; a vendor's own never has it. */
const mark = "mgc1.";

/** Seals summaries for the account that they belong to: a client carries them, and cannot read, change or lend them. */
export interface CompactionSeal {
  seal(accountId: string, summary: string): string;
  /** Undefined for what this gateway did not make for this account. */
  open(accountId: string, sealed: string): string | undefined;
}

/** Seals under a key derived from MODELGATE_SECRET, bound to the account. */
export function openCompactionSeal(secrets: Secrets): CompactionSeal {
  const sealer = openSealer(secrets, "modelgate compactions");
  return {
    seal: (accountId, summary) => mark + sealer.seal(summary, accountId),
    open(accountId, sealed) {
      try {
        return sealer.open(sealed.slice(mark.length), accountId);
      } catch {
        return undefined;
      }
    },
  };
}

/** The sealed text of an input item that is a compaction of ours; undefined for all else. */
export function ownCompaction(item: unknown): string | undefined {
  if (!isRecord(item) || (item["type"] !== "compaction" && item["type"] !== "compaction_summary")) return undefined;
  const sealed = item["encrypted_content"];
  return typeof sealed === "string" && sealed.startsWith(mark) ? sealed : undefined;
}

/** A summary as the item that is in the conversation where its compaction was. */
export function summaryItem(summary: string): JsonObject {
  const text = `Summary of the conversation so far, which it replaces:\n\n${summary}`;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}
