import { openSealer, type Secrets } from "@modelgate/platform";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Prefix of every compaction that this gateway made; a vendor's compaction never has it. */
const mark = "mgc1.";

/**
 * Encrypts summaries for their account. A client stores them, and cannot read them, change them, or use them with
 * another account.
 */
export interface CompactionSeal {
  seal(accountId: string, summary: string): string;
  /** Decrypts a summary; returns undefined for one that this gateway did not make for the account. */
  open(accountId: string, sealed: string): string | undefined;
}

/** Encrypts with a key derived from MODELGATE_SECRET and bound to the account. */
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

/** Returns the encrypted text of an input item that is a compaction of this gateway; undefined for any other item. */
export function ownCompaction(item: unknown): string | undefined {
  if (!isRecord(item) || (item["type"] !== "compaction" && item["type"] !== "compaction_summary")) return undefined;
  const sealed = item["encrypted_content"];
  return typeof sealed === "string" && sealed.startsWith(mark) ? sealed : undefined;
}

/** Returns a summary as the item that replaces its compaction in the conversation. */
export function summaryItem(summary: string): JsonObject {
  const text = `Summary of the conversation so far, which it replaces:\n\n${summary}`;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}
