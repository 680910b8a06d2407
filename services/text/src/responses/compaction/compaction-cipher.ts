import { makeCipher, type Secrets } from "@modelgate/platform";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Prefix of each compaction that this gateway created. Compactions of vendors never have it. */
const mark = "mgc1.";

/**
 * Encrypts and decrypts summaries of conversations (compactions). A client stores an encrypted summary, but cannot read
 * or change it, or use it with another account.
 */
export interface CompactionCipher {
  encrypt(accountId: string, summary: string): string;
  /** Decrypts a summary; returns undefined if this gateway did not create it for the account. */
  decrypt(accountId: string, encrypted: string): string | undefined;
}

/**
 * Creates the cipher, whose key is derived from MODELGATE_SECRET. The account id is authenticated with each summary.
 */
export function makeCompactionCipher(secrets: Secrets): CompactionCipher {
  const cipher = makeCipher(secrets, "modelgate compactions");
  return {
    encrypt: (accountId, summary) => mark + cipher.encrypt(summary, accountId),
    decrypt(accountId, encrypted) {
      try {
        return cipher.decrypt(encrypted.slice(mark.length), accountId);
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns the encrypted text of an input item that is a compaction by this gateway; undefined for any other item. */
export function ownCompaction(item: unknown): string | undefined {
  if (!isRecord(item) || (item["type"] !== "compaction" && item["type"] !== "compaction_summary")) return undefined;
  const encrypted = item["encrypted_content"];
  return typeof encrypted === "string" && encrypted.startsWith(mark) ? encrypted : undefined;
}

/** Returns the message that passes a summary to the model instead of the compaction. */
export function summaryItem(summary: string): JsonObject {
  const text = `Summary of the conversation so far, which it replaces:\n\n${summary}`;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}
