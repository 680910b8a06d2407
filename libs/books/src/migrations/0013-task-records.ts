import { sql, type Kysely } from "kysely";
import type { MigrationTools } from "./tables.ts";

/** Adds the encrypted record from which a lost task is restored. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  const text = sql.raw(engine === "postgres" ? 'text collate "C"' : "text");
  await sql`alter table tasks add column record ${text} not null default ''`.execute(db);
  await sql`alter table tasks add column until bigint not null default 0`.execute(db);
  await sql`create index tasks_by_until on tasks (until, account, task) where until > 0`.execute(db);
}

export const taskRecords = { up };
