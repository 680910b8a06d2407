import { sql, type Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { StartError } from "@modelgate/platform";
import { unitMeasures } from "./measures.ts";
import type { Engine } from "./migrations/tables.ts";
import { migrations, type Migration } from "./migrations/index.ts";
import type { Tables } from "./schema.ts";

/** Arbitrary id of a PostgreSQL lock. */
const unitColumnsLockId = 6_703_115;

/**
 * Updates the schema to the current version; Kysely's lock lets only one process migrate. Throws StartError if a newer
 * version has written the books.
 */
export async function migrate(
  db: Kysely<Tables>,
  engine: Engine,
  steps: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  await checkNotNewer(db, steps);
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(steps).map(([name, { up }]) => [
            name,
            {
              async up(database: Kysely<unknown>) {
                // Creating an index of many calls may take longer than the statement timeout.
                if (engine === "postgres") await sql`set local statement_timeout = 0`.execute(database);
                await up(database, { engine });
              },
            },
          ]),
        ),
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await addUnitColumns(db, engine);
}

async function checkNotNewer(db: Kysely<Tables>, steps: Readonly<Record<string, Migration>>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const newer = rows.find(({ name }) => !(name in steps));
  if (newer === undefined) return;
  throw new StartError(
    `The books were written by a newer version: this version does not know the migration ${newer.name}. Start the newer version, or restore a backup from before it.`,
  );
}

/** Adds columns for new units. Their sums start at 0, so no migration is needed. */
async function addUnitColumns(db: Kysely<Tables>, engine: Engine): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (engine === "postgres") await sql`select pg_advisory_xact_lock(${unitColumnsLockId})`.execute(transaction);
    const tables = await transaction.introspection.getTables();
    for (const table of ["hourly_totals", "daily_totals", "labelled_totals", "daily_tag_totals"] as const) {
      const columns = tables.find(({ name }) => name === table)?.columns;
      if (columns === undefined) continue; // an early migration state does not have all tables
      const existing = new Set(columns.map(({ name }) => name));
      for (const measure of unitMeasures.filter((name) => !existing.has(name)))
        await transaction.schema
          .alterTable(table)
          .addColumn(measure, "bigint", (column) => column.notNull().defaultTo(0))
          .execute();
    }
  });
}
