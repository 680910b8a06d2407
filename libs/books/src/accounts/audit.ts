import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { RecordedAction } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { Tables } from "../schema.ts";
import { appendAudit } from "./audit-chain.ts";

/** A change by an operator or member, with the state before and after it. The states contain no secrets. */
export interface AuditEntry {
  readonly account: string;
  readonly time: string;
  readonly actor: string;
  readonly action: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface StoredAuditEntry extends AuditEntry {
  readonly id: string;
}

interface NewAuditEntry extends AuditEntry {
  readonly action: RecordedAction;
}

/**
 * Records a change in the audit. Call it last in a transaction, because other writers of the audit wait from this call
 * until the end of the transaction.
 */
export async function writeAudit(transaction: Transaction<Tables>, entry: NewAuditEntry): Promise<void> {
  const { account, time, actor, action, before = null, after = null } = entry;
  await appendAudit(transaction, {
    account,
    at: Date.parse(time),
    id: randomUUID(),
    actor,
    action,
    before: JSON.stringify(before),
    after: JSON.stringify(after),
  });
}

/** Records a change that is not stored in the books. */
export async function bookAudit({ db }: Books, entry: NewAuditEntry): Promise<void> {
  await db.transaction().execute((transaction) => writeAudit(transaction, entry));
}

/** Position in the audit, which is sorted by time and id. */
export interface AuditPosition {
  readonly at: number;
  readonly id: string;
}

/** Reads changes of these accounts, or of all accounts, newest first, from the one after a position. */
export async function readAudit(
  { db }: Books,
  {
    accounts,
    limit,
    after,
  }: {
    readonly accounts?: readonly string[] | undefined;
    readonly limit: number;
    readonly after?: AuditPosition | undefined;
  },
): Promise<readonly StoredAuditEntry[]> {
  let query = db.selectFrom("audit").selectAll();
  if (accounts !== undefined) query = query.where("account", "in", accounts);
  if (after !== undefined)
    query = query.where(({ eb, or, and }) =>
      or([eb("at", "<", after.at), and([eb("at", "=", after.at), eb("id", "<", after.id)])]),
    );
  const rows = await query.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    account: row.account,
    time: new Date(row.at).toISOString(),
    actor: row.actor,
    action: row.action,
    before: parseValue(row.before),
    after: parseValue(row.after),
  }));
}

function parseValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}
