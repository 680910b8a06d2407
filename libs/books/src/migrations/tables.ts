import { sql, type Kysely, type RawBuilder } from "kysely";

/** Database engines of the books. */
export type Engine = "sqlite" | "postgres";

/** Parameters of a migration in addition to the database. */
export interface MigrationTools {
  readonly engine: Engine;
}

/** Definition of a table. All columns are `not null`. */
export interface TableShape {
  readonly columns: Readonly<Record<string, "text" | "integer" | "bigint">>;
  /** Columns of the primary key. The account comes first, so that Citus can distribute tables by it. */
  readonly key: readonly string[];
  /** Column by whose ranges PostgreSQL divides the table into partitions. */
  readonly partitionedBy?: string;
}

/** Creates a table. Both engines compare text byte by byte, regardless of the locale. */
export async function createTable(
  db: Kysely<unknown>,
  engine: Engine,
  name: string,
  { columns, key, partitionedBy }: TableShape,
): Promise<void> {
  const typed = Object.entries(columns).map(
    ([column, type]) => sql`${sql.ref(column)} ${typeIn(engine, type)} not null`,
  );
  const primary = sql`primary key (${sql.join(key.map((column) => sql.ref(column)))})`;
  const partitions =
    engine === "postgres" && partitionedBy !== undefined ? sql`partition by range (${sql.ref(partitionedBy)})` : sql``;
  await sql`create table ${sql.table(name)} (${sql.join([...typed, primary])}) ${partitions}`.execute(db);
}

/** Returns the columns of sums that a table of labelled totals has when the migration runs. */
export async function sumColumnsOf(db: Kysely<unknown>, table: string): Promise<readonly string[]> {
  const keys = new Set(["account", "period", "token", "model", "channel", "outcome", "labels"]);
  const tables = await db.introspection.getTables();
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  return columns.map(({ name }) => name).filter((name) => !keys.has(name));
}

function typeIn(engine: Engine, type: "text" | "integer" | "bigint"): RawBuilder<unknown> {
  return type === "text" && engine === "postgres" ? sql`text collate "C"` : sql.raw(type);
}
