import { sql, type Kysely } from "kysely";
import { createTable, sumColumnsOf, type MigrationTools } from "./tables.ts";

/** Adds sums and times to the first byte by day and tag value, so that a long period needs fewer rows. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  const sums = await sumColumnsOf(db, "labelled_totals");
  await createTable(db, engine, "daily_tag_totals", {
    columns: {
      period: "bigint",
      name: "text",
      value: "text",
      outcome: "text",
      ...Object.fromEntries(sums.map((name) => [name, "bigint" as const])),
    },
    key: ["period", "name", "value", "outcome"],
  });
  const columns = sql.join(sums.map((name) => sql.ref(name)));
  const summed = sql.join(sums.map((name) => sql`sum(${sql.ref(name)})`));
  const labels =
    engine === "postgres"
      ? sql`json_each_text(labels::json) as label(key, value)`
      : sql`json_each(labelled_totals.labels) as label`;
  await sql`insert into daily_tag_totals (period, name, value, outcome, ${columns})
    select period, label.key, label.value, outcome, ${summed} from labelled_totals, ${labels}
    where label.key <> 'endUser' group by 1, 2, 3, 4`.execute(db);
  await createTable(db, engine, "daily_tag_first_bytes", {
    columns: { period: "bigint", name: "text", value: "text", bucket: "integer", calls: "bigint" },
    key: ["period", "name", "value", "bucket"],
  });
  const ms =
    engine === "postgres"
      ? sql`coalesce((event::json ->> 'firstByteMs')::bigint, 0)`
      : sql`coalesce(json_extract(event, '$.firstByteMs'), 0)`;
  await sql`insert into daily_tag_first_bytes (period, name, value, bucket, calls)
    select call_labels.at - call_labels.at % 86400000, name, value, cast(floor(ln(${ms} + 1) / ln(1.05)) as integer), count(*)
    from call_labels join calls using (account, at, id)
    where name <> 'endUser' and outcome = 'completed' group by 1, 2, 3, 4`.execute(db);
}

export const dailyTags = { up };
