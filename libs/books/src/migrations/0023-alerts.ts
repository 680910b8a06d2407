import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools, type TableShape } from "./tables.ts";

const tables: Readonly<Record<string, TableShape>> = {
  alerts: {
    columns: {
      account: "text",
      kind: "text",
      subject: "text",
      period: "text",
      id: "text",
      at: "bigint",
      severity: "text",
      summary: "text",
      details: "text",
      open: "integer",
    },
    key: ["account", "kind", "subject", "period"],
  },
  alert_targets: {
    columns: { id: "text", account: "text", kind: "text", at: "bigint", record: "text", sealed: "text" },
    key: ["id"],
  },
  alert_deliveries: {
    columns: {
      alert: "text",
      target: "text",
      since: "bigint",
      next: "bigint",
      tries: "integer",
      state: "text",
      error: "text",
    },
    key: ["alert", "target"],
  },
};

async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) await createTable(db, engine, name, shape);
  await sql`create unique index alerts_by_id on alerts (id)`.execute(db);
  await sql`create index alerts_by_time on alerts (at, id)`.execute(db);
  await sql`create unique index alerts_open on alerts (account, kind, subject) where open = 1`.execute(db);
  await sql`create index alert_deliveries_due on alert_deliveries (next) where state = 'pending'`.execute(db);
  await sql`create index alert_deliveries_dead on alert_deliveries (alert) where state = 'dead'`.execute(db);
}

export const alerts = { up };
