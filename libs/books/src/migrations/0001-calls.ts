import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools, type TableShape } from "./tables.ts";

const totals: TableShape = {
  columns: {
    account: "text",
    period: "bigint",
    token: "text",
    model: "text",
    channel: "text",
    outcome: "text",
    calls: "bigint",
    cost: "bigint",
  },
  key: ["account", "period", "token", "model", "channel", "outcome"],
};

const tables: Readonly<Record<string, TableShape>> = {
  calls: {
    columns: {
      account: "text",
      at: "bigint",
      id: "text",
      request: "text",
      token: "text",
      model: "text",
      channel: "text",
      outcome: "text",
      status: "integer",
      cost: "bigint",
      event: "text",
    },
    key: ["account", "at", "id"],
    partitionedBy: "at",
  },
  hourly_totals: totals,
  daily_totals: totals,
  credits: {
    columns: { account: "text", operation: "text", at: "bigint", kind: "text", nanos: "bigint", event: "text" },
    key: ["account", "operation"],
  },
  accounts: {
    columns: { account: "text", receipts: "bigint", head: "text", balance: "bigint" },
    key: ["account"],
  },
  tasks: {
    columns: {
      account: "text",
      task: "text",
      at: "bigint",
      state: "text",
      model: "text",
      channel: "text",
      event: "text",
    },
    key: ["account", "task"],
  },
  moved_days: {
    columns: { account: "text", day: "bigint" },
    key: ["account", "day"],
  },
};

async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) await createTable(db, engine, name, shape);
  await sql`create index calls_by_time on calls (at, account, id)`.execute(db);
  // Indexes for filters that match few calls.
  for (const column of ["request", "token", "model", "channel"])
    await sql`create index ${sql.ref(`calls_by_${column}`)} on calls (${sql.ref(column)}, at)`.execute(db);
  await sql`create index hourly_totals_by_period on hourly_totals (period)`.execute(db);
  await sql`create index daily_totals_by_period on daily_totals (period)`.execute(db);
}

export const calls = { up };
