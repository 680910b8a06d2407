import type { Selectable, Transaction } from "kysely";
import type { Books } from "../open.ts";
import type { BudgetsTable, Tables } from "../schema.ts";
import { writeAudit } from "./audit.ts";

/** The budgets of an account in the books. */
export interface BookedBudgets {
  readonly account: string;
  /** Number of changes of the list. */
  readonly version: number;
  /** JSON of the budgets. */
  readonly record: string;
}

/** New budgets, and the entry of the audit log: the action, and the state before and after it. */
export interface BudgetChange {
  readonly record: string;
  readonly action: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Changes the budgets of an account. `change` gets the JSON of the current ones; if it throws, nothing is changed.
 * Changes of one account run one after the other, so `change` may compare a new budget with the others.
 */
export async function changeBookedBudgets(
  { db }: Books,
  account: string,
  actor: string,
  change: (record: string) => BudgetChange,
): Promise<BookedBudgets> {
  return db.transaction().execute(async (transaction) => {
    const { record: current, version } = await addVersion(transaction, account);
    const { record, ...entry } = change(current);
    await transaction.updateTable("budgets").set({ record }).where("account", "=", account).execute();
    await writeAudit(transaction, { account, time: new Date().toISOString(), actor, ...entry });
    return { account, version, record };
  });
}

/**
 * Counts a change of the list of an account or of an organisation (`organisation:ID`), and locks the list until the end
 * of a transaction. Returns the list before the change.
 */
export async function addVersion(
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

/** Reads the budgets of these accounts; those without budgets are left out. */
export async function readBudgetsOf({ db }: Books, accounts: readonly string[]): Promise<readonly BookedBudgets[]> {
  if (accounts.length === 0) return [];
  const rows = await db.selectFrom("budgets").selectAll().where("account", "in", accounts).execute();
  return rows.map(bookedOf);
}

/** Reads budgets whose current version is not in Redis yet. */
export async function readUnprojectedBudgets({ db }: Books, limit: number): Promise<readonly BookedBudgets[]> {
  const rows = await db.selectFrom("budgets").selectAll().whereRef("projected", "<", "version").limit(limit).execute();
  return rows.map(bookedOf);
}

/** Records that Redis contains this version of an account's budgets. */
export async function markBudgetsProjected({ db }: Books, { account, version }: BookedBudgets): Promise<void> {
  await db
    .updateTable("budgets")
    .set({ projected: version })
    .where("account", "=", account)
    .where("projected", "<", version)
    .execute();
}

function bookedOf({ account, version, record }: Selectable<BudgetsTable>): BookedBudgets {
  return { account, version, record };
}
