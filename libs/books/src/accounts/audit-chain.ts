import { sql, type Transaction } from "kysely";
import type { Books } from "../open.ts";
import type { Tables } from "../schema.ts";
import { auditHash, auditHeadMark, type AuditRow } from "./audit-hash.ts";

const auditMigration = "0017-anchors";

const pageSize = 1_000;

/** Last entry of the audit; number 0 and hash "" if the audit is empty. */
export interface AuditHead {
  readonly number: number;
  readonly hash: string;
}

/** Appends an entry to the audit's chain. Other writers of the audit wait until the transaction ends. */
export async function appendAudit(transaction: Transaction<Tables>, row: Omit<AuditRow, "number">): Promise<void> {
  // This update changes nothing, but it locks the row in SQLite and PostgreSQL.
  const { value } = await transaction
    .updateTable("marks")
    .set({ value: sql<string>`value` })
    .where("name", "=", auditHeadMark)
    .returning("value")
    .executeTakeFirstOrThrow();
  const before = parseHead(value);
  const number = before.number + 1;
  const hash = auditHash(before.hash, { ...row, number });
  await transaction
    .insertInto("audit")
    .values({ ...row, number, hash })
    .execute();
  await transaction
    .updateTable("marks")
    .set({ value: `${number} ${hash}` })
    .where("name", "=", auditHeadMark)
    .execute();
}

/** Reads the number and hash of the last entry. */
export async function readAuditHead({ db }: Pick<Books, "db">): Promise<AuditHead> {
  const row = await db.selectFrom("marks").select("value").where("name", "=", auditHeadMark).executeTakeFirst();
  return parseHead(row?.value ?? "");
}

function parseHead(mark: string): AuditHead {
  const [number = "", hash = ""] = mark.split(" ");
  return { number: Number(number), hash };
}

/** Result of the verification of the audit's chain. */
export interface AuditVerification {
  readonly head: AuditHead;
  /** Description of the first error; absent if all entries are correct. */
  readonly message?: string;
}

/**
 * Recomputes the hashes of all entries. The chain must contain the entries of the `anchors`.
 */
export async function verifyAudit(books: Books, anchors: readonly AuditHead[]): Promise<AuditVerification> {
  const head = await readAuditHead(books);
  const hashes = new Map(anchors.map(({ number, hash }) => [number, hash]));
  let [number, hash] = [0, ""];
  const diverges = (message: string): AuditVerification => ({ head, message });
  for (;;) {
    const rows = await books.db
      .selectFrom("audit")
      .selectAll()
      .where("number", ">", number)
      .where("number", "<=", head.number)
      .orderBy("number")
      .limit(pageSize)
      .execute();
    for (const { hash: stored, ...row } of rows) {
      if (row.number !== number + 1) return diverges(`entry ${number + 1} is missing`);
      number = row.number;
      hash = auditHash(hash, row);
      if (hash !== stored) return diverges(`entry ${number} was altered`);
      const anchored = hashes.get(number);
      if (anchored !== undefined && anchored !== hash)
        return diverges(`entry ${number} is not the one that was signed`);
    }
    if (rows.length < pageSize) break;
  }
  if (number !== head.number || hash !== head.hash) return diverges(`entry ${number + 1} is missing`);
  const latest = Math.max(0, ...hashes.keys());
  if (latest > number)
    return diverges(`it ends at entry ${number}, but entry ${latest} was signed: the end is missing`);
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit where number = 0`.execute(books.db);
  const outsideChain = rows[0]?.count ?? 0;
  return outsideChain === 0 ? { head } : diverges(`entries were inserted outside its chain: ${outsideChain}`);
}

/** Time in ms after the migration in which an earlier version may still write entries. */
const overlapMs = 3_600_000;

/**
 * Adds to the chain the entries that an earlier version wrote during the upgrade. `verifyAudit` reports later entries
 * outside the chain.
 */
export async function chainLateAudit({ db }: Books, nowMs: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ timestamp: string }>`
      select timestamp from kysely_migration where name = ${auditMigration}`.execute(transaction);
    const overlapEnd = Date.parse(rows[0]?.timestamp ?? "") + overlapMs;
    if (!(nowMs < overlapEnd + overlapMs)) return;
    const late = await transaction
      .selectFrom("audit")
      .selectAll()
      .where("number", "=", 0)
      .where("at", "<", overlapEnd)
      .execute();
    for (const { hash: _hash, number: _number, ...row } of late.sort((left, right) => left.at - right.at)) {
      await transaction.deleteFrom("audit").where("account", "=", row.account).where("id", "=", row.id).execute();
      await appendAudit(transaction, row);
    }
  });
}
