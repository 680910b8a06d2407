import { sql, type Kysely } from "kysely";
import { receiptLink } from "../chain.ts";
import { createTable, type MigrationTools, type TableShape } from "./tables.ts";

const tables: Readonly<Record<string, TableShape>> = {
  tokens: {
    columns: { account: "text", token: "text", digest: "text", version: "bigint", projected: "bigint", record: "text" },
    key: ["account", "token"],
  },
  audit: {
    columns: {
      account: "text",
      at: "bigint",
      id: "text",
      actor: "text",
      action: "text",
      before: "text",
      after: "text",
    },
    key: ["account", "at", "id"],
  },
  restorations: {
    columns: { account: "text", at: "bigint", id: "text", reason: "text", calls: "bigint", nanos: "bigint" },
    key: ["account", "at", "id"],
  },
  marks: { columns: { name: "text", value: "text" }, key: ["name"] },
};

const columns = {
  name: "''",
  created: "''",
  projected: "0",
  credited: "0",
  chain: "0",
  tip: "0",
} as const;
const textColumns: ReadonlySet<string> = new Set(["name", "created"]);

/** Adds columns of accounts, and tables of tokens, of the audit, of restorations and of marks. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) await createTable(db, engine, name, shape);
  await sql`create index tokens_by_id on tokens (token)`.execute(db);
  for (const [column, fallback] of Object.entries(columns))
    await sql`alter table accounts add column ${sql.ref(column)} ${sql.raw(textColumns.has(column) ? "text" : "bigint")}
      not null default ${sql.raw(fallback)}`.execute(db);
  await sql`update accounts set
    credited = coalesce((select sum(nanos) from credits where credits.account = accounts.account), 0)`.execute(db);
  const { rows } = await sql<{ account: string; head: string }>`select account, head from accounts`.execute(db);
  // Existing chains are assumed to be correct.
  for (const { account, head } of rows)
    await sql`update accounts set chain = ${receiptLink(head)}, tip = ${receiptLink(head)} where account = ${account}`.execute(
      db,
    );
}

export const accounts = { up };
