import { sql } from "kysely";
import { DatabaseError } from "pg";
import type { Books } from "./open.ts";

const dayMs = 86_400_000;
/** Tables with one PostgreSQL partition per day. */
const partitioned = ["calls", "call_labels"] as const;

/** Days whose partitions are known to exist, by books. */
const known = new WeakMap<Books, Set<number>>();

/** Creates the PostgreSQL partitions of the days that contain these times (Unix ms); SQLite has one table. */
export async function ensurePartitions(books: Books, times: Iterable<number>): Promise<void> {
  if (books.engine === "sqlite") return;
  const there = known.get(books) ?? new Set();
  known.set(books, there);
  for (const day of new Set([...times].map((at) => Math.floor(at / dayMs)))) {
    if (there.has(day)) continue;
    await makePartitions(books, day);
    there.add(day);
  }
}

/** Drops the partitions of complete days before a time; SQLite's rows are deleted by `forgetCalls`. */
export async function dropPartitions(books: Books, before: number): Promise<void> {
  for (const table of partitioned) {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table}) and c.relname < ${nameOf(table, Math.floor(before / dayMs))}`.execute(
      books.db,
    );
    for (const { name } of rows) {
      if (table === "calls") await forgetIds(books, name);
      await sql`drop table ${sql.table(name)}`.execute(books.db);
    }
  }
  forgetPartitions(books);
}

/** Deletes the ids of a day's calls. If that is interrupted, the partition still exists for the next attempt. */
async function forgetIds({ db }: Books, partition: string): Promise<void> {
  await db.transaction().execute(async (at) => {
    await sql`set local statement_timeout = 0`.execute(at);
    await sql`delete from call_ids using ${sql.table(partition)} as day
      where call_ids.account = day.account and call_ids.id = day.id`.execute(at);
  });
}

/** Clears the cache of known partitions. */
export function forgetPartitions(books: Books): void {
  known.delete(books);
}

/** Returns whether a row was refused because its day has no partition. */
export function isWithoutPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === checkViolation;
}

/** PostgreSQL's code of that error; the tables of the books have no other check. */
const checkViolation = "23514";

/**
 * Creates a day's tables and attaches them. Creating them as partitions would lock out every reader of `calls`.
 * Concurrent ledgers take turns.
 */
async function makePartitions({ db }: Books, day: number): Promise<void> {
  const [from, to] = [day * dayMs, (day + 1) * dayMs].map((bound) => sql.lit(bound));
  await db.transaction().execute(async (at) => {
    await sql`select pg_advisory_xact_lock(hashtext(${nameOf("calls", day)}))`.execute(at);
    for (const table of partitioned) {
      const name = nameOf(table, day);
      const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(at);
      if (rows.length > 0) continue;
      await sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`.execute(at);
      await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)} for values from (${from}) to (${to})`.execute(
        at,
      );
    }
  });
}

/** Returns the name of a partition: `calls_20260131`. Names sort by day for years of four digits. */
function nameOf(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}
