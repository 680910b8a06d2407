import { openSealer, type Secrets } from "@modelgate/platform";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Prefix of each compaction that this gateway created. Compactions of vendors never have it. */
const mark = "mgc1.";

/**
 * Encrypts the summaries of an account. A client stores them, but cannot read or change them, or use them with another
 * account.
 */
export interface CompactionSeal {
  seal(accountId: string, summary: string): string;
  /** Decrypts a summary; returns undefined if this gateway did not create it for the account. */
  open(accountId: string, sealed: string): string | undefined;
}

/** Opens the encryption, whose key is derived from MODELGATE_SECRET. The account is part of what is authenticated. */
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

/** Returns the encrypted text of an input item that is a compaction by this gateway; undefined for any other item. */
export function ownCompaction(item: unknown): string | undefined {
  if (!isRecord(item) || (item["type"] !== "compaction" && item["type"] !== "compaction_summary")) return undefined;
  const sealed = item["encrypted_content"];
  return typeof sealed === "string" && sealed.startsWith(mark) ? sealed : undefined;
}

/** Returns the message that passes a summary to the model instead of the compaction. */
export function summaryItem(summary: string): JsonObject {
  const text = `Summary of the conversation so far, which it replaces:\n\n${summary}`;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}
