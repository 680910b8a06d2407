import { sql } from "kysely";
import { readMark } from "./accounts/marks.ts";
import type { Books } from "./open.ts";
import { dropPartitions } from "./partitions.ts";

const dayMs = 86_400_000;
/**
 * Minimum number of days for which ids of calls are kept. NATS keeps events for 30 days and may deliver them again, which
 * must not count a deleted call twice.
 */
const minIdDays = 32;
/** Maximum number of calls that one transaction deletes, so that other transactions do not wait long. */
const callsPerDelete = 5_000;

/** Name of the mark with the Unix time in ms from which on the books contain all calls. */
export const storedFromMark = "calls-kept-from";

/** Returns the Unix time in ms from which on the books contain all calls. */
export async function readStoredFrom(books: Books): Promise<number> {
  return Number((await readMark(books, storedFromMark)) ?? 0);
}

/**
 * Deletes the calls before the retention period, and their receipts and labels. Totals without labels remain, and ids of
 * calls remain for at least `minIdDays`.
 */
export async function deleteOldCalls(books: Books, keepDays: number, nowMs: number): Promise<void> {
  const dayBefore = (days: number): number => (Math.floor(nowMs / dayMs) - days) * dayMs;
  const before = dayBefore(keepDays);
  // Set first, so that deleted calls are not reported as missing.
  if ((await readStoredFrom(books)) < before)
    await books.db
      .updateTable("marks")
      .set({ value: String(before) })
      .where("name", "=", storedFromMark)
      .execute();
  for (const table of ["labelled_totals", "daily_tag_totals", "daily_tag_first_bytes"] as const)
    await books.db.deleteFrom(table).where("period", "<", before).execute();
  await books.db.deleteFrom("other_receipts").where("at", "<", before).execute();
  await deleteInBatches(books, "call_ids", dayBefore(Math.max(keepDays, minIdDays)));
  if (books.engine === "postgres") return dropPartitions(books, before);
  // Labels are deleted first, because they are found through the calls.
  const oldest = (columns: string) =>
    sql`select ${sql.raw(columns)} from calls where at < ${before} order by at limit ${callsPerDelete}`;
  for (;;) {
    const removed = await books.db.transaction().execute(async (transaction) => {
      await sql`delete from call_labels where (account, at, id) in (${oldest("account, at, id")})`.execute(transaction);
      return sql`delete from calls where rowid in (${oldest("rowid")})`.execute(transaction);
    });
    if ((removed.numAffectedRows ?? 0n) === 0n) return undefined;
  }
}

/** Deletes refused calls before a Unix time in ms. */
export function deleteOldRefusals(books: Books, before: number): Promise<void> {
  return deleteInBatches(books, "refused_calls", before);
}

async function deleteInBatches({ db }: Books, table: "call_ids" | "refused_calls", before: number): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (account, at, id) in
      (select account, at, id from ${sql.table(table)} where at < ${before} order by at limit ${callsPerDelete})`.execute(
      db,
    );
    if (numAffectedRows < BigInt(callsPerDelete)) return;
  }
}
