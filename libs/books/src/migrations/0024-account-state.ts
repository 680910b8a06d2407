import { sql, type Kysely } from "kysely";

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column disabled integer not null default 0`.execute(db);
  await sql`alter table accounts add column version integer not null default 0`.execute(db);
}

export const accountState = { up };
