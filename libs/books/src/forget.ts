import { sql } from "kysely";
import { readMark } from "./accounts/marks.ts";
import type { Books } from "./open.ts";
import { dropPartitions } from "./partitions.ts";

const dayMs = 86_400_000;
/** Number of rows of a SQLite file that one transaction deletes, so that readers and writers do not wait long. */
const rowsPerDelete = 5_000;

/** Name of the mark with the Unix time in ms from which on all calls are kept. */
export const storedFromMark = "calls-kept-from";

/**
 * Returns the Unix time in ms from which on the books contain all calls. Deleted calls do not come back if the
 * retention period becomes longer.
 */
export async function readStoredFrom(books: Books): Promise<number> {
  return Number((await readMark(books, storedFromMark)) ?? 0);
}

/**
 * Deletes the calls of days before the retention period, their other receipts, and the totals and first-byte times by
 * label of these days. Other totals are kept.
 */
export async function deleteOldCalls(books: Books, keepDays: number, nowMs: number): Promise<void> {
  const before = (Math.floor(nowMs / dayMs) - keepDays) * dayMs;
  // Set before the calls are deleted, so that they do not count as missing.
  if ((await readStoredFrom(books)) < before)
    await books.db
      .updateTable("marks")
      .set({ value: String(before) })
      .where("name", "=", storedFromMark)
      .execute();
  for (const table of ["labelled_totals", "daily_tag_totals", "daily_tag_first_bytes"] as const)
    await books.db.deleteFrom(table).where("period", "<", before).execute();
  await books.db.deleteFrom("other_receipts").where("at", "<", before).execute();
  if (books.engine === "postgres") return dropPartitions(books, before);
  // Ids and labels are deleted before their calls, because they are found through the calls.
  const oldest = (columns: string) =>
    sql`select ${sql.raw(columns)} from calls where at < ${before} order by at limit ${rowsPerDelete}`;
  for (;;) {
    const removed = await books.db.transaction().execute(async (transaction) => {
      await sql`delete from call_ids where (account, id) in (${oldest("account, id")})`.execute(transaction);
      await sql`delete from call_labels where (account, at, id) in (${oldest("account, at, id")})`.execute(transaction);
      return sql`delete from calls where rowid in (${oldest("rowid")})`.execute(transaction);
    });
    if ((removed.numAffectedRows ?? 0n) === 0n) return undefined;
  }
}

/** Deletes refused calls before a Unix time in ms. */
export async function deleteOldRefusals({ db }: Books, before: number): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from refused_calls where (account, at, id) in
      (select account, at, id from refused_calls where at < ${before} order by at limit ${rowsPerDelete})`.execute(db);
    if (numAffectedRows < BigInt(rowsPerDelete)) return;
  }
}
