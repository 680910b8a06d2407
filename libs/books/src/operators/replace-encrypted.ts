import type { Books } from "../open.ts";

/** Tables whose column `sealed` is kept for longer than a rotation of the secret takes. */
export const encryptedTables = ["vendor_keys", "alert_targets"] as const;
export type EncryptedTable = (typeof encryptedTables)[number];

/** Result of replacing what another secret encrypted or signed. */
export interface Replacement {
  /** Number of replaced rows. */
  readonly replaced: number;
  /** Number of rows that no accepted secret reads, or that others change again and again. */
  readonly unreadable: number;
  /** Ids of the first unreadable rows. */
  readonly examples: readonly string[];
}

/** Result for one row. "changed": another process has changed or deleted it meanwhile. */
export type RowResult = "replaced" | "current" | "unreadable" | "changed";

const pageSize = 500;
const maxExamples = 10;
/** Maximum attempts to replace a row that others change at the same time. */
const maxAttempts = 5;

/**
 * Replaces encrypted data. `replace` returns the new ciphertext of a row, the same one to leave the row, or undefined if
 * it cannot read the row. A row that changes meanwhile is read again.
 */
export async function replaceEncrypted(
  { db }: Books,
  table: EncryptedTable,
  replace: (sealed: string, id: string) => string | undefined,
): Promise<Replacement> {
  const all = db.selectFrom(table).select(["id", "sealed"]);
  return replaceRows({
    page: (after, limit) =>
      all
        .where("id", ">", after ?? "")
        .orderBy("id")
        .limit(limit)
        .execute(),
    idOf: ({ id }) => id,
    readAgain: ({ id }) => all.where("id", "=", id).executeTakeFirst(),
    async replaceRow({ id, sealed }) {
      const next = replace(sealed, id);
      if (next === undefined) return "unreadable";
      if (next === sealed) return "current";
      const { numUpdatedRows } = await db
        .updateTable(table)
        .set({ sealed: next })
        .where("id", "=", id)
        .where("sealed", "=", sealed)
        .executeTakeFirst();
      return numUpdatedRows > 0n ? "replaced" : "changed";
    },
  });
}

/** Replaces the rows of a table page by page. Another process may do the same at the same time. */
export async function replaceRows<Row>({
  page: readPage,
  idOf,
  readAgain,
  replaceRow,
}: {
  readonly page: (after: string | undefined, limit: number) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => string;
  readonly readAgain: (row: Row) => Promise<Row | undefined>;
  readonly replaceRow: (row: Row) => Promise<RowResult>;
}): Promise<Replacement> {
  let [replaced, unreadable] = [0, 0];
  const examples: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await readPage(after, pageSize);
    for (const row of page) {
      let result = await replaceRow(row);
      for (let attempt = 1; result === "changed" && attempt < maxAttempts; attempt++) {
        const current = await readAgain(row);
        result = current === undefined ? "current" : await replaceRow(current);
      }
      if (result === "replaced") replaced++;
      if (result !== "unreadable" && result !== "changed") continue;
      unreadable++;
      if (examples.length < maxExamples) examples.push(idOf(row));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return { replaced, unreadable, examples };
    after = idOf(last);
  }
}
