import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools, type TableShape } from "./tables.ts";

const tables: Readonly<Record<string, TableShape>> = {
  configurations: {
    columns: { version: "bigint", at: "bigint", actor: "text", note: "text", document: "text" },
    key: ["version"],
  },
  vendor_keys: { columns: { id: "text", at: "bigint", sealed: "text" }, key: ["id"] },
  operators: { columns: { name: "text", record: "text" }, key: ["name"] },
  operator_keys: { columns: { id: "text", digest: "text", record: "text" }, key: ["id"] },
};

/** Adds configuration versions, vendor keys, operators, and their keys for automation. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) await createTable(db, engine, name, shape);
  await sql`create unique index operator_keys_by_digest on operator_keys (digest)`.execute(db);
}

export const operators = { up };
