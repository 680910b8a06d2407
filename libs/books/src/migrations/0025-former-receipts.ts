import { sql, type Kysely } from "kysely";

/** Adds the former events of replaced receipts. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table other_receipts add column former text not null default ''`.execute(db);
}

export const formerReceipts = { up };
