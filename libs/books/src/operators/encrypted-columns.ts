import type { Books } from "../open.ts";

/** Tables with encrypted data that is kept longer than a rotation of the secret takes. */
export const encryptedTables = ["vendor_keys", "alert_targets"] as const;
export type EncryptedTable = (typeof encryptedTables)[number];

const pageSize = 500;

/**
 * Replaces encrypted data. `replace` returns the new ciphertext of a row, or undefined to leave it. A row that changes
 * meanwhile is not replaced. Returns the number of replaced rows.
 */
export async function replaceEncrypted(
  { db }: Books,
  table: EncryptedTable,
  replace: (sealed: string, id: string) => string | undefined,
): Promise<number> {
  let replaced = 0;
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
      if (next === undefined) continue;
      const { numUpdatedRows } = await db
        .updateTable(table)
        .set({ sealed: next })
        .where("id", "=", id)
        .where("sealed", "=", sealed)
        .executeTakeFirst();
      replaced += Number(numUpdatedRows);
    }
    if (rows.length < pageSize) return replaced;
    after = rows.at(-1)?.id ?? "";
  }
}
