import { sql, type Kysely } from "kysely";

/** Adds indexes of calls that did not succeed. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index calls_by_status on calls (status, at) where status <> 200`.execute(db);
  await sql`create index calls_by_outcome on calls (outcome, at) where outcome <> 'completed'`.execute(db);
}

export const failedCalls = { up };
