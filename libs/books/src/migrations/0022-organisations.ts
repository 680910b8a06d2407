import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools, type TableShape } from "./tables.ts";

const tables: Readonly<Record<string, TableShape>> = {
  organisations: { columns: { id: "text", name: "text", created: "text" }, key: ["id"] },
  teams: {
    columns: { organisation: "text", id: "text", name: "text", account: "text", created: "text" },
    key: ["organisation", "id"],
  },
  memberships: {
    columns: { organisation: "text", person: "text", team: "text", role: "text" },
    key: ["organisation", "person", "team"],
  },
};

/** Adds organisations with teams and members. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) await createTable(db, engine, name, shape);
  await sql`alter table accounts add column organisation text not null default ''`.execute(db);
  await sql`alter table tokens add column team text not null default ''`.execute(db);
}

export const organisations = { up };
