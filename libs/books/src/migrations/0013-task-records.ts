import { sql, type Kysely } from "kysely";
import type { MigrationTools } from "./tables.ts";

/** Stores tasks from their first event on, with the record that a Redis which has lost them is restored from. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  const text = sql.raw(engine === "postgres" ? 'text collate "C"' : "text");
  await sql`alter table tasks add column record ${text} not null default ''`.execute(db);
  await sql`alter table tasks add column until bigint not null default 0`.execute(db);
  await sql`create index tasks_by_until on tasks (until, account, task) where until > 0`.execute(db);
}

export const taskRecords = { up };
