import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools } from "./tables.ts";

/** Adds counts of calls by their time to the first byte, and fills them from existing calls. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  await createTable(db, engine, "first_bytes", {
    columns: { account: "text", period: "bigint", model: "text", channel: "text", bucket: "integer", calls: "bigint" },
    key: ["account", "period", "model", "channel", "bucket"],
  });
  await sql`create index first_bytes_by_period on first_bytes (period)`.execute(db);
  const ms =
    engine === "postgres"
      ? sql`coalesce((event::json ->> 'firstByteMs')::bigint, 0)`
      : sql`coalesce(json_extract(event, '$.firstByteMs'), 0)`;
  await sql`insert into first_bytes (account, period, model, channel, bucket, calls)
    select account, at - at % 3600000, model, channel, cast(floor(ln(${ms} + 1) / ln(1.05)) as integer), count(*)
    from calls where outcome = 'completed' group by 1, 2, 3, 4, 5`.execute(db);
  await sql`create index tasks_by_time on tasks (at, account, task)`.execute(db);
}

export const firstBytes = { up };
