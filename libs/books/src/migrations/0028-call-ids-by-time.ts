import { sql, type Kysely } from "kysely";

/** Adds an index of call ids by time, because ids are deleted later than calls. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index call_ids_by_time on call_ids (at)`.execute(db);
}

export const callIdsByTime = { up };
