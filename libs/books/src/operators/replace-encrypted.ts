import type { Books } from "../open.ts";

/** Tables whose column `sealed` is kept for longer than a rotation of the secret takes. */
export const encryptedTables = ["vendor_keys", "alert_targets"] as const;
export type EncryptedTable = (typeof encryptedTables)[number];

/** Result of replacing what another secret encrypted or signed: numbers of rows. */
export interface Replacement {
  readonly replaced: number;
  /** Rows that no accepted secret reads, or that changed meanwhile. */
  readonly remaining: number;
}

const pageSize = 500;

/**
 * Replaces encrypted data. `replace` returns the new ciphertext of a row, the same one to leave the row, or undefined if
 * it cannot read the row. A row that changes meanwhile is not replaced.
 */
export async function replaceEncrypted(
  { db }: Books,
  table: EncryptedTable,
  replace: (sealed: string, id: string) => string | undefined,
): Promise<Replacement> {
  let [replaced, remaining] = [0, 0];
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom(table)
      .select(["id", "sealed"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(pageSize)
      .execute();
    for (const { id, sealed } of rows) {
      const next = replace(sealed, id);
      if (next === sealed) continue;
      if (next === undefined) {
        remaining++;
        continue;
      }
      const { numUpdatedRows } = await db
        .updateTable(table)
        .set({ sealed: next })
        .where("id", "=", id)
        .where("sealed", "=", sealed)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) replaced++;
      else remaining++;
    }
    if (rows.length < pageSize) return { replaced, remaining };
    after = rows.at(-1)?.id ?? "";
  }
}
