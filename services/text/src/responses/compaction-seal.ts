import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { isRecord, type JsonObject } from "@modelgate/wires";

/** What every compaction of ours begins with; a vendor's own never does. */
const mark = "mgc1.";
const algorithm = "aes-256-gcm";
const [nonceBytes, tagBytes] = [12, 16];

/** Seals summaries for the account that they belong to: a client carries them, and cannot read, change or lend them. */
export interface CompactionSeal {
  seal(accountId: string, summary: string): string;
  /** Undefined for what this gateway did not make for this account. */
  open(accountId: string, sealed: string): string | undefined;
}

/** AES-256-GCM under a key derived from MODELGATE_SECRET; the account is authenticated with it. */
export function openCompactionSeal(secret: string): CompactionSeal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "modelgate compactions", 32));
  return {
    seal(accountId, summary) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(accountId));
      const body = Buffer.concat([cipher.update(summary, "utf8"), cipher.final()]);
      return mark + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(accountId, sealed) {
      const bytes = Buffer.from(sealed.slice(mark.length), "base64url");
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
          .setAAD(Buffer.from(accountId))
          .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([body, decipher.final()]).toString("utf8");
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

/** A summary as the item that stands in the conversation where its compaction stood. */
export function summaryItem(summary: string): JsonObject {
  const text = `Summary of the conversation so far, which it replaces:\n\n${summary}`;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}
