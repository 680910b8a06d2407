import { createHash } from "node:crypto";
import type { AuditTable } from "../schema.ts";

/** Name of the mark that contains the number and hash of the last entry, separated by a space. */
export const auditHeadMark = "audit-head";

/** Members of an audit entry from which its hash is computed. */
export type AuditRow = Omit<AuditTable, "hash">;

/** Returns an entry's hash: SHA-256 in hex of the previous entry's hash and all members of the entry. */
export function auditHash(previous: string, row: Omit<AuditRow, "number"> & { readonly number?: number }): string {
  const { number, account, at, id, actor, action, before, after } = row;
  const text = JSON.stringify([previous, number, account, at, id, actor, action, before, after]);
  return createHash("sha256").update(text).digest("hex");
}
