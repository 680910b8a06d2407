import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools } from "./tables.ts";

/** Adds the labels of calls, and totals by labels. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  await createTable(db, engine, "call_labels", {
    columns: { account: "text", at: "bigint", id: "text", name: "text", value: "text" },
    key: ["account", "at", "id", "name"],
    partitionedBy: "at",
  });
  await sql`create index call_labels_by_value on call_labels (name, value, at, account, id)`.execute(db);
  await createTable(db, engine, "labelled_totals", {
    columns: {
      account: "text",
      period: "bigint",
      token: "text",
      model: "text",
      channel: "text",
      outcome: "text",
      labels: "text",
      calls: "bigint",
      cost: "bigint",
    },
    key: ["account", "period", "token", "model", "channel", "outcome", "labels"],
  });
  await sql`create index labelled_totals_by_period on labelled_totals (period)`.execute(db);
}

export const labels = { up };
