import { sql } from "kysely";
import type { Books } from "./open.ts";
import { dropPartitions } from "./partitions.ts";

const dayMs = 86_400_000;
/** Rows of a SQLite file that one transaction removes, so that no reader or writer waits long. */
const rowsAtOnce = 5_000;

/** Removes calls of whole days before the oldest that is kept; totals, credits and tasks stay. */
export async function forgetCalls(books: Books, keepDays: number, nowMs: number): Promise<void> {
  const before = (Math.floor(nowMs / dayMs) - keepDays) * dayMs;
  if (books.engine === "postgres") return dropPartitions(books, before);
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from calls where rowid in (select rowid from calls where at < ${before} limit ${rowsAtOnce})`.execute(
      books.db,
    );
    if ((numAffectedRows ?? 0n) === 0n) return undefined;
  }
}
