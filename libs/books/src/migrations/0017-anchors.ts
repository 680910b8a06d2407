import { sql, type Kysely } from "kysely";
import { auditHash, auditHeadMark } from "../accounts/audit-hash.ts";
import { createTable, type MigrationTools } from "./tables.ts";

const pageSize = 1_000;
const dayMs = 86_400_000;

/** Adds anchors, the chain of the audit, and the mark for the first day whose calls are all stored. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  await createTable(db, engine, "anchors", {
    columns: {
      account: "text",
      number: "bigint",
      head: "text",
      balance: "text",
      created: "text",
      at: "bigint",
      signature: "text",
    },
    key: ["account"],
  });
  await sql`alter table audit add column number bigint not null default 0`.execute(db);
  await sql`alter table audit add column hash text not null default ''`.execute(db);
  await sql`create unique index audit_by_number on audit (number) where number > 0`.execute(db);
  await chainAudit(db);
  const { rows } = await sql<{ oldest: number | null }>`select min(at) as oldest from calls`.execute(db);
  const oldest = rows[0]?.oldest ?? 0;
  await sql`insert into marks (name, value) values ('calls-kept-from', ${String(oldest - (oldest % dayMs))})`.execute(
    db,
  );
}

/** Numbers existing audit entries by time, and computes their hashes. */
async function chainAudit(db: Kysely<unknown>): Promise<void> {
  let [number, head] = [0, ""];
  for (;;) {
    const { rows } = await sql<Parameters<typeof auditHash>[1]>`select account, at, id, actor, action, before, after
      from audit where number = 0 order by at, id limit ${pageSize}`.execute(db);
    for (const row of rows) {
      head = auditHash(head, { ...row, number: ++number });
      await sql`update audit set number = ${number}, hash = ${head}
        where account = ${row.account} and at = ${row.at} and id = ${row.id}`.execute(db);
    }
    if (rows.length < pageSize) break;
  }
  await sql`insert into marks (name, value) values (${auditHeadMark}, ${`${number} ${head}`})`.execute(db);
}

export const anchors = { up };
