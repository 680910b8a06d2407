import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools, type TableShape } from "./tables.ts";

const tables: Readonly<Record<string, TableShape>> = {
  call_ids: {
    columns: { account: "text", id: "text", at: "bigint", request: "text", upstream: "text" },
    key: ["account", "id"],
  },
  other_receipts: {
    columns: {
      account: "text",
      hash: "text",
      call: "text",
      at: "bigint",
      event: "text",
      refunded: "bigint",
      operation: "text",
    },
    key: ["account", "hash"],
  },
};

/** Label name of the vendor's request id in earlier versions. */
const upstreamLabel = "upstreamRequest";

/**
 * Adds call ids, which are unique per account. If an earlier version stored a call twice, the first one gets the id.
 */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  for (const [name, shape] of Object.entries(tables)) await createTable(db, engine, name, shape);
  const upstream = sql`coalesce((select max(value) from call_labels where call_labels.account = calls.account
    and call_labels.at = calls.at and call_labels.id = calls.id and call_labels.name = ${sql.lit(upstreamLabel)}), '')`;
  await sql`insert into call_ids (account, id, at, request, upstream)
    select account, id, at, request, ${upstream} from calls where true order by at on conflict do nothing`.execute(db);
  await sql`delete from call_labels where name = ${sql.lit(upstreamLabel)}`.execute(db);
  await sql`create index call_ids_by_request on call_ids (request, at)`.execute(db);
  await sql`create index call_ids_by_upstream on call_ids (upstream, at) where upstream <> ''`.execute(db);
  await sql`drop index calls_by_request`.execute(db);
  await sql`create index other_receipts_by_refund on other_receipts (account) where refunded = 0`.execute(db);
}

export const callIds = { up };
