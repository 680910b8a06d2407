import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools } from "./tables.ts";

/** Adds counts of calls by day and their time to the first byte, so that a long period needs fewer rows. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  await createTable(db, engine, "daily_first_bytes", {
    columns: { period: "bigint", model: "text", channel: "text", bucket: "integer", calls: "bigint" },
    key: ["period", "model", "channel", "bucket"],
  });
  await sql`insert into daily_first_bytes (period, model, channel, bucket, calls)
    select period - period % 86400000, model, channel, bucket, sum(calls) from first_bytes
    group by 1, 2, 3, 4`.execute(db);
}

export const dailyFirstBytes = { up };
