import { createHash } from "node:crypto";
import type { AuditTable } from "../schema.ts";

/** Name of the mark (`marks.ts`) that stores the number and hash of the audit's last entry. */
export const auditHeadMark = "audit-head";

/** Members of an audit entry from which its hash is computed. */
export type AuditRow = Omit<AuditTable, "hash">;

/** Returns the hash of an entry: SHA-256 (hex) of the previous hash and the entry's members. */
export function auditHash(previous: string, row: Omit<AuditRow, "number"> & { readonly number?: number }): string {
  const { number, account, at, id, actor, action, before, after } = row;
  const text = JSON.stringify([previous, number, account, at, id, actor, action, before, after]);
  return createHash("sha256").update(text).digest("hex");
}
