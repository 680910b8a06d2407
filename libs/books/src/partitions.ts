import { sql } from "kysely";
import { DatabaseError } from "pg";
import type { Books } from "./open.ts";

const dayMs = 86_400_000;
/** Tables that have one PostgreSQL partition per day. */
const partitionedTables = ["calls", "call_labels"] as const;

/** Cached days whose partitions exist, by books. A day is a number of days since 1970. */
const knownDays = new WeakMap<Books, Set<number>>();

/**
 * Creates the PostgreSQL partitions of the days that contain these Unix times in ms. Does nothing in SQLite, which has
 * no partitions.
 */
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
    for (const { name } of rows) {
      if (table === "calls") await deleteIds(books, name);
      await sql`drop table ${sql.table(name)}`.execute(books.db);
    }
  }
  clearPartitionCache(books);
}

/**
 * Deletes the ids of a partition's calls. If this is interrupted, the next attempt repeats it, because the partition
 * still exists.
 */
async function deleteIds({ db }: Books, partition: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`delete from call_ids using ${sql.table(partition)} as day
      where call_ids.account = day.account and call_ids.id = day.id`.execute(transaction);
  });
}

/** Forgets which partitions exist, so that `ensurePartitions` creates those that another ledger has dropped. */
export function clearPartitionCache(books: Books): void {
  knownDays.delete(books);
}

/** Returns whether PostgreSQL refused a row because its day has no partition. */
export function isWithoutPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === checkViolation;
}

/**
 * PostgreSQL's error code for a violated check. A missing partition is the only such error, because the tables have no
 * checks.
 */
const checkViolation = "23514";

/**
 * Creates the tables of a day and attaches them as partitions. Creating them directly as partitions would lock out all
 * readers of `calls`. A lock makes concurrent ledgers wait for each other.
 */
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

/**
 * Returns the name of a partition, for example `calls_20260131`. For years with four digits, the order of names is the
 * order of days.
 */
function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}
