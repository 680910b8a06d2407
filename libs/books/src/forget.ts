import { sql } from "kysely";
import { readMark } from "./accounts/marks.ts";
import type { Books } from "./open.ts";
import { dropPartitions } from "./partitions.ts";

const dayMs = 86_400_000;
/** Rows of a SQLite file that one transaction deletes, so that no reader or writer waits long. */
const rowsAtOnce = 5_000;

/** Mark with the time from which all calls are kept, Unix ms. */
export const keptFromMark = "calls-kept-from";

/**
 * Returns the time from which all calls are kept, Unix ms. Deleted calls are not restored by a longer retention period.
 */
export async function keptFrom(books: Books): Promise<number> {
  return Number((await readMark(books, keptFromMark)) ?? 0);
}

/** Deletes calls of complete days before the oldest that is kept, with their sums by label; other totals are kept. */
export async function forgetCalls(books: Books, keepDays: number, nowMs: number): Promise<void> {
  const before = (Math.floor(nowMs / dayMs) - keepDays) * dayMs;
  // Set first, so that the calls deleted after it do not count as missing.
  if ((await keptFrom(books)) < before)
    await books.db
      .updateTable("marks")
      .set({ value: String(before) })
      .where("name", "=", keptFromMark)
      .execute();
  for (const table of ["labelled_totals", "daily_tag_totals", "daily_tag_first_bytes"] as const)
    await books.db.deleteFrom(table).where("period", "<", before).execute();
  await books.db.deleteFrom("other_receipts").where("at", "<", before).execute();
  if (books.engine === "postgres") return dropPartitions(books, before);
  // Labels are deleted first, because they are found through their calls.
  const oldest = (columns: string) =>
    sql`select ${sql.raw(columns)} from calls where at < ${before} order by at limit ${rowsAtOnce}`;
  for (;;) {
    const removed = await books.db.transaction().execute(async (at) => {
      await sql`delete from call_ids where (account, id) in (${oldest("account, id")})`.execute(at);
      await sql`delete from call_labels where (account, at, id) in (${oldest("account, at, id")})`.execute(at);
      return sql`delete from calls where rowid in (${oldest("rowid")})`.execute(at);
    });
    if ((removed.numAffectedRows ?? 0n) === 0n) return undefined;
  }
}

/** Deletes refused calls before a time, Unix ms. */
export async function forgetRefused({ db }: Books, before: number): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from refused_calls where (account, at, id) in
      (select account, at, id from refused_calls where at < ${before} order by at limit ${rowsAtOnce})`.execute(db);
    if (numAffectedRows < BigInt(rowsAtOnce)) return;
  }
}
