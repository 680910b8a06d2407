import { sql, type Kysely } from "kysely";

/** Adds the replaced keys of a token, and the time of its deletion. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tokens add column replaced text not null default '[]'`.execute(db);
  await sql`alter table tokens add column deleted text not null default ''`.execute(db);
}

export const replacedKeys = { up };
