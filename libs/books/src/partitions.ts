import { sql } from "kysely";
import { DatabaseError } from "pg";
import type { Books } from "./open.ts";

const dayMs = 86_400_000;
/** Tables with one PostgreSQL partition per day. */
const partitionedTables = ["calls", "call_labels"] as const;

/** Days since 1970 whose partitions exist. */
const knownDays = new WeakMap<Books, Set<number>>();

/** Creates the PostgreSQL partitions for these Unix times in ms. Does nothing in SQLite. */
export async function ensurePartitions(books: Books, times: Iterable<number>): Promise<void> {
  if (books.engine === "sqlite") return;
  const createdDays = knownDays.get(books) ?? new Set();
  knownDays.set(books, createdDays);
  for (const day of new Set([...times].map((at) => Math.floor(at / dayMs)))) {
    if (createdDays.has(day)) continue;
    await createPartitions(books, day);
    createdDays.add(day);
  }
}

/** Drops the PostgreSQL partitions of days before a time. */
export async function dropPartitions(books: Books, before: number): Promise<void> {
  for (const table of partitionedTables) {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table}) and c.relname < ${partitionName(table, Math.floor(before / dayMs))}`.execute(
      books.db,
    );
    for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(books.db);
  }
  clearPartitionCache(books);
}

/** Clears the cache of existing partitions. It must be called after some were dropped. */
export function clearPartitionCache(books: Books): void {
  knownDays.delete(books);
}

/** Returns whether PostgreSQL refused a row because its day has no partition. */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === checkViolation;
}

/** PostgreSQL's error code for a violated check. The tables have no checks but those of partitions. */
const checkViolation = "23514";

/** Creates tables and then attaches them as partitions, because direct creation would lock out readers. */
async function createPartitions({ db }: Books, day: number): Promise<void> {
  const [from, to] = [day * dayMs, (day + 1) * dayMs].map((bound) => sql.lit(bound));
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext(${partitionName("calls", day)}))`.execute(transaction);
    for (const table of partitionedTables) {
      const name = partitionName(table, day);
      const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(transaction);
      if (rows.length > 0) continue;
      await sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`.execute(transaction);
      await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)} for values from (${from}) to (${to})`.execute(
        transaction,
      );
    }
  });
}

/** Returns the name of a partition, for example `calls_20260131`. Names are in the order of days. */
function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}
