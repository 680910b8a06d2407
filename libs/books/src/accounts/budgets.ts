import type { Selectable, Transaction } from "kysely";
import type { AuditAction } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { BudgetsTable, Tables } from "../schema.ts";
import { writeAudit } from "./audit.ts";

/** The budgets of an account in the books. */
export interface BookedBudgets {
  readonly account: string;
  readonly version: number;
  readonly record: string;
}

/** New budgets, and the audit entry of the change. */
export interface BudgetChange {
  readonly record: string;
  readonly action: AuditAction;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Changes the budgets of an account. `change` gets the current budgets as JSON. Changes of one account do not run
 * concurrently.
 */
export async function changeBookedBudgets(
  { db }: Books,
  account: string,
  actor: string,
  change: (record: string) => BudgetChange,
): Promise<BookedBudgets> {
  return db.transaction().execute(async (transaction) => {
    const { record: current, version } = await incrementVersion(transaction, account);
    const { record, ...entry } = change(current);
    await transaction.updateTable("budgets").set({ record }).where("account", "=", account).execute();
    await writeAudit(transaction, { account, time: new Date().toISOString(), actor, ...entry });
    return { account, version, record };
  });
}

/** Increments the version of a budget list, and locks the list. Returns its record and the new version. */
export async function incrementVersion(
  transaction: Transaction<Tables>,
  account: string,
): Promise<Pick<BookedBudgets, "record" | "version">> {
  await transaction
    .insertInto("budgets")
    .values({ account, version: 0, projected: 0, record: "[]" })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return transaction
    .updateTable("budgets")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .where("account", "=", account)
    .returning(["record", "version"])
    .executeTakeFirstOrThrow();
}

/** Reads the budget lists of these accounts. */
export async function readBudgetsOf({ db }: Books, accounts: readonly string[]): Promise<readonly BookedBudgets[]> {
  if (accounts.length === 0) return [];
  const rows = await db.selectFrom("budgets").selectAll().where("account", "in", accounts).execute();
  return rows.map(budgetsFromRow);
}

/** Reads budget lists whose current version is not in Redis yet. */
export async function readBudgetsToWrite({ db }: Books, limit: number): Promise<readonly BookedBudgets[]> {
  const rows = await db.selectFrom("budgets").selectAll().whereRef("projected", "<", "version").limit(limit).execute();
  return rows.map(budgetsFromRow);
}

/** Records that Redis contains this version of a budget list. */
export async function markBudgetsWritten({ db }: Books, { account, version }: BookedBudgets): Promise<void> {
  await db
    .updateTable("budgets")
    .set({ projected: version })
    .where("account", "=", account)
    .where("projected", "<", version)
    .execute();
}

function budgetsFromRow({ account, version, record }: Selectable<BudgetsTable>): BookedBudgets {
  return { account, version, record };
}
