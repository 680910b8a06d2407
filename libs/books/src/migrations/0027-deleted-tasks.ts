import { sql, type Kysely } from "kysely";

/** Adds the mark of tasks that a client has deleted. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column deleted integer not null default 0`.execute(db);
}

export const deletedTasks = { up };
