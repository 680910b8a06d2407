import { sql, type Kysely } from "kysely";
import { createTable, sumColumnsOf, type MigrationTools } from "./tables.ts";

/**
 * Adds the account to the totals of tags and to the daily times to the first byte. The tables are filled again from
 * other tables.
 */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const table of ["daily_tag_totals", "daily_tag_first_bytes", "daily_first_bytes"])
    await sql`drop table ${sql.table(table)}`.execute(db);
  await tagTotals(db, engine);
  await firstBytes(db, engine);
}

async function tagTotals(db: Kysely<unknown>, engine: MigrationTools["engine"]): Promise<void> {
  const sums = await sumColumnsOf(db, "labelled_totals");
  await createTable(db, engine, "daily_tag_totals", {
    columns: {
      account: "text",
      period: "bigint",
      name: "text",
      value: "text",
      outcome: "text",
      ...Object.fromEntries(sums.map((name) => [name, "bigint" as const])),
    },
    key: ["account", "period", "name", "value", "outcome"],
  });
  const columns = sql.join(sums.map((name) => sql.ref(name)));
  const summed = sql.join(sums.map((name) => sql`sum(${sql.ref(name)})`));
  const labels =
    engine === "postgres"
      ? sql`json_each_text(labels::json) as label(key, value)`
      : sql`json_each(labelled_totals.labels) as label`;
  await sql`insert into daily_tag_totals (account, period, name, value, outcome, ${columns})
    select account, period, label.key, label.value, outcome, ${summed} from labelled_totals, ${labels}
    where label.key <> 'endUser' group by 1, 2, 3, 4, 5`.execute(db);
  // Most queries cover all accounts.
  await sql`create index daily_tag_totals_by_name on daily_tag_totals (name, period)`.execute(db);
}

async function firstBytes(db: Kysely<unknown>, engine: MigrationTools["engine"]): Promise<void> {
  await createTable(db, engine, "daily_tag_first_bytes", {
    columns: { account: "text", period: "bigint", name: "text", value: "text", bucket: "integer", calls: "bigint" },
    key: ["account", "period", "name", "value", "bucket"],
  });
  const ms =
    engine === "postgres"
      ? sql`coalesce((event::json ->> 'firstByteMs')::bigint, 0)`
      : sql`coalesce(json_extract(event, '$.firstByteMs'), 0)`;
  await sql`insert into daily_tag_first_bytes (account, period, name, value, bucket, calls)
    select account, call_labels.at - call_labels.at % 86400000, name, value,
      cast(floor(ln(${ms} + 1) / ln(1.05)) as integer), count(*)
    from call_labels join calls using (account, at, id)
    where name <> 'endUser' and outcome = 'completed' group by 1, 2, 3, 4, 5`.execute(db);
  await sql`create index daily_tag_first_bytes_by_name on daily_tag_first_bytes (name, period)`.execute(db);
  await createTable(db, engine, "daily_first_bytes", {
    columns: { account: "text", period: "bigint", model: "text", channel: "text", bucket: "integer", calls: "bigint" },
    key: ["account", "period", "model", "channel", "bucket"],
  });
  await sql`insert into daily_first_bytes (account, period, model, channel, bucket, calls)
    select account, period - period % 86400000, model, channel, bucket, sum(calls)
    from first_bytes group by 1, 2, 3, 4, 5`.execute(db);
  await sql`create index daily_first_bytes_by_period on daily_first_bytes (period)`.execute(db);
}

export const totalsOfAccounts = { up };
