import { makeCipher, type Secrets } from "@modelgate/platform";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Prefix of each compaction that this gateway created. Compactions of vendors never have it. */
const prefix = "mgc1.";

/** Encrypts summaries of conversations (compactions). Clients store them, but cannot read or change them. */
export interface CompactionCipher {
  encrypt(accountId: string, summary: string): string;
  /** Decrypts a summary; undefined if this gateway did not create it for the account. */
  decrypt(accountId: string, encrypted: string): string | undefined;
  /**
   * Encrypts a compaction again with the current secret. Returns it unchanged if this secret has encrypted it, or if it
   * cannot be decrypted.
   */
  encryptAgain(accountId: string, encrypted: string): string;
}

/** Creates the cipher, whose key is derived from MODELGATE_SECRET. */
export function makeCompactionCipher(secrets: Secrets): CompactionCipher {
  const cipher = makeCipher(secrets, "modelgate compactions");
  return {
    encrypt: (accountId, summary) => prefix + cipher.encrypt(summary, accountId),
    decrypt(accountId, encrypted) {
      try {
        return cipher.decrypt(encrypted.slice(prefix.length), accountId);
      } catch {
        return undefined;
      }
    },
    encryptAgain(accountId, encrypted) {
      try {
        return prefix + cipher.encryptAgain(encrypted.slice(prefix.length), accountId);
      } catch {
        return encrypted;
      }
    },
  };
}

/** Returns an item. If it is a compaction by this gateway, it is encrypted with the current secret. */
export function withCurrentCompaction(cipher: CompactionCipher, accountId: string, item: JsonObject): JsonObject {
  const encrypted = encryptedCompactionOf(item);
  if (encrypted === undefined) return item;
  const current = cipher.encryptAgain(accountId, encrypted);
  return current === encrypted ? item : { ...item, encrypted_content: current };
}

/** Returns the encrypted text of an input item that is a compaction by this gateway; undefined for any other item. */
export function encryptedCompactionOf(item: unknown): string | undefined {
  if (!isRecord(item) || (item["type"] !== "compaction" && item["type"] !== "compaction_summary")) return undefined;
  const encrypted = item["encrypted_content"];
  return typeof encrypted === "string" && encrypted.startsWith(prefix) ? encrypted : undefined;
}

/** Returns the message that gives a summary to the model in place of the compaction. */
export function summaryItem(summary: string): JsonObject {
  const text = `Summary of the conversation so far, which it replaces:\n\n${summary}`;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}
